"""Work added up over the tokens generated: with the cache, and feeding the full prefix."""

from functools import partial

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent

from kvviz.session.contrast import contrast
from kvviz.session.growing import Numbers
from kvviz.session.runs import Run
from kvviz.session.selection import Counted
from kvviz.session.series import WorkSeries, work_series
from kvviz.sizing.units import NO_FIGURE, count_text
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import TIMES, count_axis, number, token_axis
from kvviz.ui.views.chart_frame import DRAWN_ON, ChartFrame
from kvviz.ui.views.chart_items import Line, Ring
from kvviz.ui.views.corner_toggle import CornerToggle
from kvviz.ui.views.label_room import Note, Spot, along
from kvviz.ui.widgets.figure import Figure

SPOTS = (0.85, 0.8, 0.75, 0.7, 0.9, 0.6, 0.5, 1.0, 0.4, 0.3)
WORDS = {
    Counted.CELLS: ("Score cells", "cells", "added up, per layer, head and sequence"),
    Counted.POSITIONS: ("Token positions", "positions", "tokens fed to the model, per sequence"),
}
OPTIONS = (
    (Counted.CELLS, "cells", "Score cells: query-key pairs, counted for one layer and one head."),
    (Counted.POSITIONS, "positions", "Token positions: how many tokens were fed to the model."),
)


class WorkChart(ChartFrame):
    """Red: as run.  Grey: feeding the full prefix for each token.  Faint: still planned.

    ``counted`` is what is drawn: score cells or token positions.
    """

    concerns = ChartFrame.concerns | Change.SELECTION

    def __init__(self, store: Store, look: ThemeManager) -> None:
        self.counted = store.selection.counted
        super().__init__(store, look, WORDS[self.counted][0], ("formula",))
        self.toggle = CornerToggle(look, OPTIONS, self.counted, "What is added up", self.chart)
        self.ratio_figure = Figure(look, "Work without a cache, against this run")
        self.header.add_right(self.ratio_figure)
        self.toggle.chosen.connect(self._on_chosen)
        add_line = self.chart.add_line
        self._ghost = add_line(Line("ghost", dashed=True))
        self._naive_plan = add_line(Line("ghost", alpha=0.45))
        self._naive = add_line(Line("ghost", width=1.25))
        self._plan = add_line(Line("decode", alpha=0.4))
        self._done = add_line(Line("decode", width=1.75))
        self._series: WorkSeries | None = None
        self._generated = 0
        self._naive_total: Numbers = np.zeros(1, np.int64)
        self._ghost_is_naive = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the toggle in the corner above the plot."""
        super().resizeEvent(event)
        self.toggle.place()

    def read(self, changes: Change) -> None:
        """Follow what is to be added up; nothing else of the selection is drawn here."""
        if self.counted is not self.store.selection.counted:
            self.counted = self.store.selection.counted
            self.toggle.set_value(self.counted)
            changes |= DRAWN_ON
        super().read(changes)

    def draw(self, run: Run | None) -> None:
        """Set lines and axes from the store."""
        word = WORDS[self.counted][1]
        if run is None or self.marks is None:
            self._series, self._generated = None, 0
            for line in (self._ghost, self._naive_plan, self._naive, self._plan, self._done):
                line.clear()
            self.chart.show_data(token_axis(24), count_axis(1000, word))
            return
        series = work_series(self.marks, run.planned_tokens)
        self._series, self._generated = series, self.marks.chosen(self.store.cursor)
        ran, naive = self._columns(series)
        known = self._generated
        self._split(self._done, self._plan, series.tokens, ran, known)
        self._naive_total = np.append(0, naive)
        self._split(self._naive, self._naive_plan, series.tokens, naive, known)
        x = token_axis(int(series.tokens[-1]) if len(series.tokens) else 1)
        top = max(int(naive[-1]), int(ran[-1])) if len(naive) else 1
        top = max(top, self._set_ghost(int(x.high)))
        self.chart.show_data(
            x,
            count_axis(top, word),
            notes=partial(self._notes, run),
            cursor=self.ring_at(self.store.cursor),
        )

    def say(self, run: Run | None) -> None:
        """Set the figure and the words below the heading."""
        title, _, what = WORDS[self.counted]
        self.header.set_text(title)
        self.words.setText(what)
        series, known = self._series, self._generated
        if run is None or series is None or not known:
            self.ratio_figure.set_value(NO_FIGURE, "")
            return
        ran, naive = self._columns(series)
        if not run.config.layout.keeps_entries:
            self.ratio_figure.set_value(f"1{TIMES}", "no cache is kept")
            return
        ratio = int(naive[known - 1]) / max(1, int(ran[known - 1]))
        self.fit_unit(
            self.ratio_figure, f"{number(ratio)}{TIMES}", "less than no cache", "less work", "less"
        )

    def step_at(self, x: float) -> int:
        """Return the recorded step that chose the token nearest to ``x``."""
        assert self.marks is not None
        chose = np.flatnonzero(self.marks.chose)
        if not len(chose):
            return 0
        return int(chose[max(0, min(round(x) - 1, len(chose) - 1))])

    def ring_at(self, index: int) -> Ring | None:
        """Return the ring round a step's total."""
        place = self._place(index)
        if place is None or self._series is None:
            return None
        ran, _ = self._columns(self._series)
        trace = self.store.trace
        tone = trace.steps[index].phase.value if trace else "decode"
        outline = "cursor" if index == self.store.cursor else "text"
        return Ring(float(self._series.tokens[place]), float(ran[place]), tone, outline)

    def readout(self, index: int) -> str:
        """Return a step's totals."""
        place = self._place(index)
        if place is None or self._series is None:
            return f"step {index} · chose no token"
        ran, naive = self._columns(self._series)
        tokens = int(self._series.tokens[place])
        kept = self.store.shown is not None and self.store.shown.config.layout.keeps_entries
        against = f" · no cache {int(naive[place]):,}" if kept else ""
        length = count_text(tokens, "token")
        return f"{length} · {int(ran[place]):,} {self.counted}{against} · formula"

    # The parts of a picture

    def _columns(self, series: WorkSeries) -> tuple[Numbers, Numbers]:
        if self.counted is Counted.CELLS:
            return series.cells, series.naive_cells
        return series.positions, series.naive_positions

    def _place(self, index: int) -> int | None:
        """Which point of the curves a step is; None for a chunk that chose nothing."""
        if self.marks is None or not 0 <= index < len(self.marks.chose):
            return None
        return self.marks.chosen(index) - 1 if self.marks.chose[index] else None

    @staticmethod
    def _split(done: Line, plan: Line, tokens: Numbers, total: Numbers, known: int) -> None:
        """Draw what has been done, and from its end on what is planned."""
        x, y = np.append(0, tokens), np.append(0, total)
        done.set(x[: known + 1], y[: known + 1])
        plan.set(x[known:], y[known:])

    def _set_ghost(self, last: int) -> int:
        """Draw the reference run's totals; return the highest of them."""
        marks = self.ghost_marks
        self._ghost_is_naive = False
        if marks is None:
            self._ghost.clear()
            return 0
        series = work_series(marks, marks.trace.seq_len)
        inside = series.tokens <= last
        total = np.append(0, self._columns(series)[0][inside])
        # A ghost that did what the grey line says already is that line.
        self._ghost_is_naive = bool(np.array_equal(total, self._naive_total[: len(total)]))
        if self._ghost_is_naive:
            self._ghost.clear()
        else:
            self._ghost.set(np.append(0, series.tokens[inside]), total)
        return int(total.max())

    def _notes(self, run: Run) -> list[Note]:
        kept = run.config.layout.keeps_entries
        notes = []
        if kept:
            name = "no cache (pinned)" if self._ghost_is_naive else "no cache"
            spots = self._spots(self._naive, self._naive_plan)
            notes.append(Note(name, "ghost_text", spots, firm=self._ghost_is_naive))
        name = "cached" if kept else "as run: no cache"
        notes.append(Note(name, "decode", self._spots(self._done, self._plan)))
        if (ghost := self.reference) is not None and len(self._ghost.x) > 1:
            pinned = f"{contrast(ghost.config, run.config)} (pinned)"
            spots = along(self._ghost.x, self._ghost.y, SPOTS, down=(1.0, 0.0))
            notes.append(Note(pinned, "ghost_text", spots, firm=True))
        return notes

    @staticmethod
    def _spots(done: Line, plan: Line) -> tuple[Spot, ...]:
        x, y = np.append(done.x, plan.x[1:]), np.append(done.y, plan.y[1:])
        return along(x, y, SPOTS, down=(1.0, 0.0))

    @Slot(object)
    def _on_chosen(self, counted: object) -> None:
        self.store.select(counted=counted)
