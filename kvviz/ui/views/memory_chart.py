"""Bytes of the cache over tokens: what the formula says, and what the tensors take."""

from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtWidgets import QHBoxLayout

from kvviz.session.contrast import contrast
from kvviz.session.growing import Numbers
from kvviz.session.runs import Run
from kvviz.session.series import FormulaLine, formula_gap, formula_line
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.units import NO_FIGURE, bytes_pair, bytes_text, count_text
from kvviz.trace.config import RunConfig
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import Axis, byte_axis, token_axis
from kvviz.ui.views.chart_frame import ChartFrame
from kvviz.ui.views.chart_items import Dots, Line, Ring
from kvviz.ui.views.held_line import HeldLine
from kvviz.ui.views.label_room import RING_GAP, Note, Spot, along
from kvviz.ui.views.memory_words import BACK, PEAKS, beside_spots, end_spots, over_spots, rate_words
from kvviz.ui.widgets.figure import Figure

LIMIT_SHOWN = 3  # the axis goes on to the sequence limit while that is at most this many plans away
RESERVED_SHOWN = 8  # and holds what is reserved while that is at most this many times the payload


class MemoryChart(ChartFrame):
    """Dashed: the formula.  Dots: bytes read off the tensors.  A step's tokens are its x."""

    def __init__(self, store: Store, look: ThemeManager) -> None:
        super().__init__(store, look, "KV memory", ("measured", "formula"))
        self.used_figure = Figure(look, "KV cache used", unit="used")
        self.header.add_right(self.used_figure)
        self.held = HeldLine(store, look)
        self._spares_held = False
        self._said = QHBoxLayout()
        self._said.addWidget(self.words, 1)  # taken out of the column
        self._said.addWidget(self.held)
        self._column.insertLayout(1, self._said)
        add_line, add_dots = self.chart.add_line, self.chart.add_dots
        self._reserved = add_line(Line("secondary", fill=0.05))
        self._ghost = add_line(Line("ghost"))
        self._planned = add_line(Line("cursor", alpha=0.75, dashed=True))
        self._formula_reserved = add_line(Line("ghost", dashed=True))
        self._formula = add_line(Line("secondary", dashed=True))
        self._teeth = add_line(Line("secondary", alpha=0.6))
        self._peak = add_dots(Dots("secondary", 6.0, "dash"))
        self._prefill = add_dots(Dots("prefill"))
        self._decode = add_dots(Dots("decode"))

    def spare_held(self, spare: bool) -> None:
        """Leave out what caches hold now: it is not of the step on screen."""
        if spare != self._spares_held:
            self._spares_held = spare
            self._say()

    def draw(self, run: Run | None) -> None:
        """Set lines, dots and axes from the store."""
        if run is None or self.marks is None:
            self._draw_nothing()
            return
        formula = formula_line(run.config, run.planned_rows)
        planned = self._planned_line(run)
        x = token_axis(self._last_token(run, planned))
        y = byte_axis(self._highest(run, formula, planned))
        self._formula.set(formula.tokens, formula.used)
        self._set_measured(run, y)
        self._set_reserved(run, formula, x, y)
        self._set_ghost(x)
        self.chart.show_data(
            x, y, notes=partial(self._notes, run), cursor=self.ring_at(self.store.cursor)
        )

    def say(self, run: Run | None) -> None:
        """Set the figure and the words below the heading."""
        step = self.store.step
        pointed = self.pointed_step is not None  # what is pointed at needs the line
        self.held.setVisible(not (pointed or self._spares_held))
        if run is None or step is None:
            self.used_figure.set_value(NO_FIGURE, "used")
            self.words.setText("nothing is measured yet" if run else "")
            return
        value, unit = bytes_pair(step.measured.used)
        self.fit_unit(self.used_figure, value, f"{unit} used", unit)
        gap = formula_gap(run.trace, self.store.cursor)
        agreed = self.toned("good", "✓ formula = tensors")
        if gap:
            agreed = self.toned("error", f"formula and tensors differ by {count_text(gap, 'byte')}")
        self.words.setText(agreed)

    def step_at(self, x: float) -> int:
        """Return the recorded step nearest to ``x`` tokens."""
        trace = self.store.trace
        assert trace is not None
        tokens = trace.column("seq_len")
        return int(np.argmin(np.abs(tokens - x)))

    def ring_at(self, index: int) -> Ring | None:
        """Return the ring round a step's bytes."""
        trace = self.store.trace
        if trace is None or not 0 <= index < len(trace):
            return None
        step = trace.steps[index]
        outline = "cursor" if index == self.store.cursor else "text"
        return Ring(step.seq_len, step.measured.used, step.phase.value, outline)

    def readout(self, index: int) -> str:
        """Return a step's tokens and bytes."""
        trace = self.store.trace
        assert trace is not None
        step = trace.steps[index]
        used = bytes_text(step.measured.used)
        tokens = count_text(step.seq_len, "token")
        return f"step {index} · {step.phase} · {tokens} · {used} · measured"

    # The parts of a picture

    def _draw_nothing(self) -> None:
        for line in (self._reserved, self._formula_reserved, self._ghost, self._planned):
            line.clear()
        for line in (self._formula, self._teeth):
            line.clear()
        for dots in (self._peak, self._prefill, self._decode):
            dots.clear()
        self.chart.show_data(token_axis(64), byte_axis(100 * 2**10))

    def _planned_line(self, run: Run) -> FormulaLine | None:
        """What the controls ask for, where it is not what is shown."""
        planned = self.store.controls.planned
        if planned is None or _memory_traits(planned) == _memory_traits(run.config):
            self._planned.clear()
            return None
        line = formula_line(planned, len(planned.prompt_ids) + planned.max_new_tokens - 1)
        self._planned.set(line.tokens, line.used)
        return line

    def _last_token(self, run: Run, planned: FormulaLine | None) -> int:
        end = max(run.planned_rows, int(planned.tokens[-1]) if planned else 0)
        limit = run.config.max_seq_len
        return limit if end <= limit <= LIMIT_SHOWN * end else end

    def _highest(self, run: Run, formula: FormulaLine, planned: FormulaLine | None) -> float:
        trace = run.trace
        used = max(int(formula.used.max()), int(trace.column("bytes_used").max(initial=0)))
        peak = max(int(formula.peak.max()), int(trace.column("bytes_peak").max(initial=0)))
        candidates = [used]
        if not run.config.layout.keeps_entries:
            candidates.append(_payload_if_kept(run))
        elif peak <= RESERVED_SHOWN * used:
            candidates.append(peak)
        if planned is not None:
            candidates.append(int(planned.used.max()))
        if (ghost := self.reference) is not None:
            candidates.append(int(ghost.trace.column("bytes_used").max()))
        return float(max(candidates))

    def _set_measured(self, run: Run, y: Axis) -> None:
        assert self.marks is not None
        cursor = self.store.cursor
        prefill, decode = self.marks.prefill_points(cursor), self.marks.decode_points(cursor)
        doubled = self.marks.doubled_points(cursor)
        peaks = doubled.tokens, doubled.peak
        if (over := doubled.peak > y.high).any():
            peaks = doubled.tokens[~over], doubled.peak[~over]
        self._prefill.set(prefill.tokens, prefill.used)
        self._decode.set(decode.tokens, decode.used)
        self._peak.set(*peaks)
        self._set_teeth(run)

    def _set_teeth(self, run: Run) -> None:
        """Join each step's peak with what is left after it: memory as it goes up and down."""
        self._teeth.clear()
        if run.config.layout.kind is LayoutKind.CONCAT:
            tokens, peak, used = (
                run.trace.column(name)[: self.store.cursor + 1]
                for name in ("seq_len", "bytes_peak", "bytes_used")
            )
            x, y = np.empty((2, 2 * len(tokens)))
            x[::2] = x[1::2] = tokens
            y[::2], y[1::2] = peak, used
            self._teeth.set(x, y)

    def _set_reserved(self, run: Run, formula: FormulaLine, x: Axis, y: Axis) -> None:
        """Fill what is allocated: level from the start on, or in stairs as blocks are taken."""
        self._formula_reserved.clear()
        step = self.store.step
        paged = run.config.layout.kind is LayoutKind.PAGED
        if paged:
            self._formula_reserved.set(*_stairs(formula.tokens[1:], formula.reserved[1:]))
        if step is None or (step.measured.slack <= 0 and not paged):
            self._reserved.clear()
        elif paged:
            upto = self.store.cursor + 1
            tokens = run.trace.column("seq_len")[:upto]
            reserved = run.trace.column("bytes_reserved")[:upto]
            self._reserved.set(*_stairs(tokens, reserved))
        else:
            end = min(float(run.config.max_seq_len), x.high)
            level = min(step.measured.reserved, y.high)
            self._reserved.set((0.0, end), (level, level))

    def _set_ghost(self, x: Axis) -> None:
        ghost = self.reference
        if ghost is None:
            self._ghost.clear()
            return
        tokens, used = ghost.trace.column("seq_len"), ghost.trace.column("bytes_used")
        inside = tokens <= x.high
        start = ghost.config.layout.kind is not LayoutKind.NONE
        self._ghost.set(
            np.concatenate([[0] if start else [], tokens[inside]]),
            np.concatenate([[0] if start else [], used[inside]]),
        )

    def _notes(self, run: Run) -> list[Note]:
        notes: list[Note] = []
        step, kept = self.store.step, run.config.layout.keeps_entries
        if len(self._reserved.x):
            notes.append(self._reserved_note(run, step.measured.reserved if step else 0))
        if len(self._peak.x):
            shares = (0.5, 0.4, 0.3, 0.6, 0.2, 0.7, 0.8, 0.9, 1.0)
            last = float(self._peak.x[-1]), float(self._peak.y[-1])
            over = (
                Spot(*last, 0.0, 0.5, RING_GAP),
                Spot(*last, 0.0, 1.0),
                Spot(*last, 0.0, 1.0, 2 * RING_GAP),
                *along(self._peak.x, self._peak.y, shares, down=(1.0,)),
            )
            kind = run.config.layout.kind
            firm = kind is not LayoutKind.CONCAT  # whose peaks say themselves whose they are
            notes.append(Note(PEAKS[kind], "secondary", over, firm=firm))
        if kept:
            notes.append(Note(rate_words(run.config), "secondary", end_spots(self._formula)))
        else:
            notes.append(Note("no cache is kept", "text", over_spots(self._formula)))
        if kept and step is not None:
            spots = beside_spots(step.seq_len, step.measured.used)
            back = along(self._decode.x, self._decode.y, BACK, across=0.0, down=(0.0,))
            notes.append(Note("measured", "text", (*spots, *back)))
        if len(self._planned.x):
            notes.append(Note("what the controls ask for", "cursor", end_spots(self._planned)))
        if (ghost := self.reference) is not None and len(self._ghost.x):
            name = f"{contrast(ghost.config, run.config)} (pinned)"
            notes.append(Note(name, "ghost_text", end_spots(self._ghost), firm=True))
        return notes

    def _reserved_note(self, run: Run, num_bytes: int) -> Note:
        x, y = self._reserved.x, self._reserved.y
        text = "reserved"
        if run.config.layout.kind is LayoutKind.PAGED:
            text = "reserved: whole blocks"
        elif y[0] < num_bytes:
            text = f"↑ {bytes_text(num_bytes)} reserved"
        shares, paged = (1.0, 0.75, 0.5, 0.25), run.config.layout.kind is LayoutKind.PAGED
        return Note(text, "secondary", along(x, y, shares, down=(0.0, 1.0)), firm=paged)


def _memory_traits(config: RunConfig) -> tuple[object, ...]:
    rows = len(config.prompt_ids) + config.max_new_tokens
    return config.layout, config.model.shape.cache_parts, config.batch, rows, config.max_seq_len


def _payload_if_kept(run: Run) -> int:
    layout = replace(run.config.layout, kind=LayoutKind.CONCAT)
    return layout.payload(run.config.model.shape.cache_parts, run.config.batch, run.planned_rows)


def _stairs(tokens: Numbers, level: Numbers) -> tuple[Numbers, Numbers]:
    """Return what holds a level from one token to the next, from 0 on; int64 [2 x steps]."""
    starts = np.concatenate([[0], tokens[:-1]])
    return np.stack([starts, tokens], axis=1).ravel(), np.repeat(level, 2)
