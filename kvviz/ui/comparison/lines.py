"""Charts of a comparison: a line for each run, named at its end."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetricsF, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout

from kvviz.session.comparison_text import set_names
from kvviz.session.growing import Numbers
from kvviz.session.runs import Run
from kvviz.trace.step import Phase
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import Axis
from kvviz.ui.views.chart import BOTTOM, LEFT, RIGHT, TOP, Chart
from kvviz.ui.views.chart_items import Dots, Line
from kvviz.ui.views.label_room import Note, Spot
from kvviz.ui.views.view import View
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.section_header import SectionHeader

MOST_LINES = 8
MOST_ROOM = 0.5  # of the plot at most is left for the names
NAME_GAP = 8  # px at zoom 1 kept free on both sides of a name
LINE_UNITS = 17  # px at zoom 1 from one name to the next
LEADER_UNITS = 12  # px at zoom 1 from a line's end to its name


@dataclass(frozen=True, slots=True)
class Curve:
    """What is drawn of a run: the formula's line (if it has one) and what was measured."""

    run: Run
    x: Numbers
    y: Numbers
    formula: tuple[Numbers, Numbers] | None = None


class Drawing(Protocol):
    """What a chart of runs shows; ``joins`` measured points, or dots them on the formula's line."""

    title: str
    tags: tuple[str, ...]
    words: str
    joins: bool

    def curves(self, runs: tuple[Run, ...]) -> list[Curve]:
        """Return what to draw of each run that has something."""

    def axes(self, curves: Sequence[Curve]) -> tuple[Axis, Axis]:
        """Return ranges that hold all of it; x without room for names."""


class RunLines(View):
    """The run on screen is drawn in full, the others behind it in grey.

    As many carry their names as there is room for, that one among them.
    """

    concerns = Change.RUNS | Change.STEPS

    def __init__(self, store: Store, look: ThemeManager, drawing: Drawing) -> None:
        super().__init__(store, look)
        self._drawing = drawing
        self.header = SectionHeader(look, drawing.title, drawing.tags)
        self.words = Label(look, drawing.words, size=11, tone="secondary")
        self.chart = Chart(look)
        self.chart.unsetCursor()
        chart = self.chart
        self._formulas = [
            chart.add_line(Line("ghost", dashed=True, alpha=0.8)) for _ in range(MOST_LINES)
        ]
        self._lines = [chart.add_line(Line("ghost")) for _ in range(MOST_LINES)]
        self._leaders = [chart.add_line(Line("ghost", alpha=0.6)) for _ in range(MOST_LINES)]
        self._notes: list[Note] = []
        self._shown_formula = chart.add_line(Line("text", dashed=True))
        self._shown = chart.add_line(Line("text", width=1.75))
        self._dots = [chart.add_dots(Dots("ghost", 3.0)) for _ in range(MOST_LINES)]
        self._prefill = chart.add_dots(Dots("prefill"))
        self._decode = chart.add_dots(Dots("decode"))
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        for part in (self.header, self.words):
            self._column.addWidget(part)
        self._column.addWidget(self.chart, 1)
        self.setAccessibleName(drawing.title)
        self.restyle()

    def read(self, changes: Change) -> None:
        """Draw the runs of the comparison on screen."""
        self.draw()

    def draw(self) -> None:
        """Set lines, dots, axes and names."""
        runs = self.store.runs.compared[:MOST_LINES]
        curves = self._drawing.curves(runs)
        shown = (self._shown_formula, self._shown)
        for line in (*self._formulas, *self._lines, *self._leaders, *shown):
            line.clear()
        for dots in (*self._dots, self._prefill, self._decode):
            dots.clear()
        for place, curve in enumerate(curves):
            self._set(place, curve)
        x, y = self._drawing.axes(curves)
        names = dict(zip(runs, set_names(runs), strict=True))
        wide = Axis(x.low, x.low + (x.high - x.low) * self._widened(names), x.ticks, x.inset)
        self._place_names(curves, names, wide, y)
        self.chart.show_data(wide, y, notes=lambda: self._notes)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the room that names need, whatever the width."""
        super().resizeEvent(event)
        self.draw()

    def sizeHint(self) -> QSize:
        """Return the size of the drawings."""
        return QSize(self.look.px(340), self.look.px(250))

    def restyle(self) -> None:
        """Follow the zoom."""
        self._column.setSpacing(self.look.px(2))
        self.words.setMinimumHeight(self.look.px(16))

    def _set(self, place: int, curve: Curve) -> None:
        shown = curve.run is self.store.shown
        formula = self._shown_formula if shown else self._formulas[place]
        if curve.formula is not None:
            formula.set(*curve.formula)
        if self._drawing.joins:
            (self._shown if shown else self._lines[place]).set(curve.x, curve.y)
        elif shown:
            decode = np.array([step.phase is Phase.DECODE for step in curve.run.trace.steps], bool)
            self._prefill.set(curve.x[~decode], curve.y[~decode])
            self._decode.set(curve.x[decode], curve.y[decode])
        else:
            self._dots[place].set(curve.x, curve.y)

    def _widened(self, names: dict[Run, str]) -> float:
        """Return how many times as wide as the curves the plot must be to hold names too."""
        metrics, px = QFontMetricsF(self.look.font(11)), self.look.px
        longest = max((metrics.horizontalAdvance(name) for name in names.values()), default=0.0)
        plot = max(1.0, self.width() - px(LEFT + RIGHT))
        return 1 / (1 - min(MOST_ROOM, (longest + px(LEADER_UNITS + NAME_GAP)) / plot))

    def _place_names(self, curves: list[Curve], names: dict[Run, str], x: Axis, y: Axis) -> None:
        """Put names beside the ends of their lines, in the same order, each joined to its end."""
        ends = sorted(((*_end(curve), curve.run) for curve in curves), key=lambda end: -end[1])
        px = self.look.px
        high = max(1.0, self.chart.height() - px(TOP + BOTTOM)) / (y.high - y.low)
        wide = max(1.0, self.chart.width() - px(LEFT + RIGHT)) / (x.high - x.low)
        half = px(LINE_UNITS) / 2 / high
        most = max(1, int((y.high - y.low) / (2 * half)))
        ends = [ends[n] for n in named([run is self.store.shown for *_, run in ends], most)]
        wanted = [level for _, level, _ in ends]
        levels = spread(wanted, 2 * half, y.low + half, y.high - half)
        right = max((end for end, _, _ in ends), default=0.0)
        self._notes = []
        for leader, (end, level, run), place in zip(self._leaders, ends, levels, strict=False):
            leader.set([end + px(3) / wide, right + px(LEADER_UNITS - 3) / wide], [level, place])
            spot = Spot(right + px(LEADER_UNITS) / wide, place, 0.0, 0.5, 0.0)
            tone = "text" if run is self.store.shown else "secondary"
            self._notes.append(Note(names[run], tone, (spot,)))

    def hear(self, changes: Change) -> None:
        """Read what changed where it is seen."""
        if self.isVisible():
            super().hear(changes)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)
        self.draw()


def named(shown: Sequence[bool], most: int) -> list[int]:
    """Return at most ``most`` places, evenly taken, a ``shown`` one before its neighbours."""
    if len(shown) <= most:
        return list(range(len(shown)))
    step = (len(shown) - 1) / max(1, most - 1)
    places = [round(n * step) for n in range(most)]
    if True in shown and (place := shown.index(True)) not in places:
        nearest = min(range(most), key=lambda n: abs(places[n] - place))
        places[nearest] = place
    return places


def spread(levels: Sequence[float], apart: float, low: float, high: float) -> list[float]:
    """Return places for falling ``levels``, ``apart`` from one another, as near as they can be.

    They keep their order, and stay within the range if it has room for all.
    """
    places: list[float] = []
    for level in levels:
        top = places[-1] - apart if places else high
        places.append(min(level, top))
    floor = low
    for place in range(len(places) - 1, -1, -1):
        places[place] = max(places[place], floor)
        floor = places[place] + apart
    return places


def _end(curve: Curve) -> tuple[float, float]:
    x, y = curve.formula if curve.formula is not None else (curve.x, curve.y)
    return float(x[-1]), float(np.asarray(y, np.float64)[-1])
