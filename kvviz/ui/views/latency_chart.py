"""The engine's clock, step by step: prefill apart from decode."""

from functools import partial

import numpy as np
from PySide6.QtCore import Slot

from kvviz.session.contrast import contrast
from kvviz.session.latency_figures import LatencyFigures, latency_figures
from kvviz.session.progress import place_of, total_decodes, total_steps
from kvviz.session.runs import Run
from kvviz.session.step_marks import Points
from kvviz.sizing.units import NO_FIGURE, count_text, ms_text
from kvviz.trace.step import Phase
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import Axis, ms_axis, short_ms
from kvviz.ui.views.chart_frame import ChartFrame
from kvviz.ui.views.chart_items import Bar, Dots, Line, Ring
from kvviz.ui.views.label_room import RING_GAP, Note, Spot, along
from kvviz.ui.widgets.figure import Figure

PREFILL_WHOLE = 6  # a prefill longer than this many decode steps is cut, not let flatten them,
PREFILL_CUT = 4  # and the range then holds this many
HEADROOM = 1.25
ONE_LINE = 0.03  # share of the range below which two levels are one line to the eye
INSET = 5.0


class LatencyChart(ChartFrame):
    """Bars: prefill.  Dots: decode.  Lines: p50 and p95 of the decode steps so far."""

    def __init__(self, store: Store, look: ThemeManager) -> None:
        super().__init__(store, look, "Latency", ("measured",))
        self.ttft_figure = Figure(look, "Time to first token", caption="TTFT", unit="ms")
        self.itl_figure = Figure(look, "Inter-token latency, p50", caption="ITL", unit="ms")
        self.header.add_right(self.ttft_figure)
        self.header.add_right(self.itl_figure)
        add_line, add_dots = self.chart.add_line, self.chart.add_dots
        self._ghost = add_line(Line("ghost"))
        self._p50 = add_line(Line("decode", alpha=0.45))
        self._p95 = add_line(Line("decode", alpha=0.45, dashed=True))
        self._decode = add_dots(Dots("decode"))
        self._beyond = add_dots(Dots("decode", 6.0, "up"))
        self._figures = LatencyFigures()
        self._high = 1.0
        self._slowest_ns = 0
        look.changed.connect(self._tighten)
        self._tighten()

    @Slot()
    def _tighten(self) -> None:
        """Two figures share one heading: they stand closer than one alone would."""
        for figure in (self.ttft_figure, self.itl_figure):
            if (row := figure.layout()) is not None:
                row.setSpacing(self.look.px(4))

    def draw(self, run: Run | None) -> None:
        """Set lines, dots and axes from the store."""
        if run is None or self.marks is None:
            for line in (self._ghost, self._p50, self._p95):
                line.clear()
            for dots in (self._decode, self._beyond):
                dots.clear()
            self.chart.show_data(Axis(0, 1, inset=INSET), ms_axis(1e6))
            return
        self._figures = latency_figures(self.marks, self.store.cursor)
        x = self._step_axis(run)
        y = ms_axis(self._highest())
        self._high = y.high
        self._set_decode(self.marks.decode_points(self.store.cursor), y)
        self._set_level(self._p50, self._figures.p50_ns, x, y)
        self._set_level(self._p95, self._figures.p95_ns, x, y)
        self._set_ghost(x, y)
        prefill = self.marks.prefill_points(self.store.cursor)
        bars = [
            Bar(float(step), min(float(ns), y.high), "prefill", cut=ns > y.high)
            for step, ns in zip(prefill.steps, prefill.latency_ns, strict=True)
        ]
        self.chart.show_data(
            x,
            y,
            notes=partial(self._notes, run, bars),
            bars=bars,
            cursor=self.ring_at(self.store.cursor),
        )

    def say(self, run: Run | None) -> None:
        """Set the figures and the words below the heading."""
        figures = self._figures if run is not None else LatencyFigures()
        itl, ttft = _figure_text(figures.p50_ns), _figure_text(figures.ttft_ns)
        # TTFT gives its unit up first, ITL only where that was not enough.
        self.fit_unit(self.itl_figure, itl, "ms")
        self.fit_unit(self.ttft_figure, ttft, "ms", "")
        self.fit_unit(self.itl_figure, itl, "ms", "")
        words = "nothing is measured yet" if run is not None and self.store.cursor < 0 else ""
        if figures.p95_ns is not None and figures.tokens_per_second is not None:
            p95, rate = ms_text(figures.p95_ns), figures.tokens_per_second
            words = f"ITL is the p50 of decode · p95 {p95} · {rate:,.0f} tokens/s"
            if run is not None and run.config.batch > 1:
                words = f"ITL: p50 of decode · p95 {p95} · {rate:,.0f} tokens/s in all"
        elif figures.ttft_ns is not None:
            words = "no decode step yet"
        self.words.setText(self.toned("secondary", words))

    def step_at(self, x: float) -> int:
        """Return the recorded step nearest to ``x``."""
        trace = self.store.trace
        assert trace is not None
        return max(0, min(round(x), len(trace) - 1))

    def ring_at(self, index: int) -> Ring | None:
        """Return the ring round a step's latency; a bar carries it at its top."""
        trace = self.store.trace
        if trace is None or not 0 <= index < len(trace):
            return None
        step = trace.steps[index]
        outline = "cursor" if index == self.store.cursor else "text"
        return Ring(index, min(step.latency_ns, self._high), step.phase.value, outline)

    def readout(self, index: int) -> str:
        """Return a step's latency."""
        trace = self.store.trace
        assert trace is not None
        step = trace.steps[index]
        fed = f"{count_text(step.num_tokens_fed, 'token')} fed"
        return f"step {index} · {step.phase} · {fed} · {ms_text(step.latency_ns)} · measured"

    # The parts of a picture

    def _step_axis(self, run: Run) -> Axis:
        assert self.marks is not None
        last = max(1, total_steps(run) - 1)
        ticks = [(0.0, "prefill")]
        cursor = self.store.cursor
        place = place_of(run, self.marks, cursor)
        if place is not None and place.phase is Phase.DECODE:
            ticks.append((float(cursor), f"decode {place.number:,}"))
        # As the transport counts: prefill may have taken several steps.
        ticks.append((float(last), f"{total_decodes(run, self.marks):,}"))
        return Axis(0.0, float(last), tuple(ticks), INSET)

    def _highest(self) -> float:
        """How high the range must reach: what decode stays at, and a prefill near enough to it.

        All of the trace counts, not only what is up to the cursor, so scrubbing moves no axis.
        """
        assert self.marks is not None
        level = self.marks.level.ns
        prefill = int(self.marks.prefill_points(len(self.marks.trace)).latency_ns.max(initial=0))
        cut = level and prefill > PREFILL_WHOLE * level
        highest = max(HEADROOM * level, PREFILL_CUT * level if cut else prefill)
        if (marks := self.ghost_marks) is not None:
            highest = max(highest, HEADROOM * marks.level.ns)
        return highest or 1e6

    def _set_decode(self, decode: Points, y: Axis) -> None:
        """Put steps that took longer than the range at its top."""
        inside = decode.latency_ns <= y.high
        strays = decode.steps[~inside]
        if len(strays):
            self._decode.set(decode.steps[inside], decode.latency_ns[inside])
        else:
            self._decode.set(decode.steps, decode.latency_ns)
        self._beyond.set(strays, np.full(len(strays), y.high))
        self._slowest_ns = int(decode.latency_ns.max(initial=0))

    def _set_level(self, line: Line, ns: float | None, x: Axis, y: Axis) -> None:
        if ns is None or ns > y.high:
            line.clear()
        else:
            line.set((x.low, x.high), (ns, ns))

    def _set_ghost(self, x: Axis, y: Axis) -> None:
        marks = self.ghost_marks
        if marks is None:
            self._ghost.clear()
            return
        decode = marks.decode_points(int(x.high))
        self._ghost.set(decode.steps, np.minimum(decode.latency_ns, y.high))

    def _notes(self, run: Run, bars: list[Bar]) -> list[Note]:
        notes = [
            Note(ms_text(self._prefill_ns(bar)), "prefill", _beside(bar))
            for bar in bars[:1]
            if bar.cut
        ]
        if len(self._beyond.x):
            spots = tuple(
                Spot(x, self._high, across, 0.0, RING_GAP)
                for x in (self._beyond.x[-1], self._beyond.x[0])
                for across in (0.0, 1.0)
            )
            notes.append(Note(f"up to {ms_text(self._slowest_ns)}", "decode", spots))
        notes += self._level_notes()
        if (ghost := self.reference) is not None and len(self._ghost.x):
            shares = (1.0, 0.85, 0.7, 0.55, 0.4)
            spots = along(self._ghost.x, self._ghost.y, shares, down=(1.0, 0.0))
            name = f"{contrast(ghost.config, run.config)} (pinned)"
            notes.append(Note(name, "ghost_text", spots, firm=True))
        return notes

    def _level_notes(self) -> list[Note]:
        """Name the two levels, or both at once where they are one line to the eye."""
        p50, p95 = self._p50, self._p95
        if len(p50.y) and len(p95.y) and p95.y[0] - p50.y[0] < ONE_LINE * self._high:
            named = [("p50, p95", p95, (1.0, 0.0))]
        else:
            named = [("p95", p95, (1.0, 0.0)), ("p50", p50, (0.0, 1.0))]
        return [
            Note(name, "secondary", along(line.x, line.y, (1.0, 0.9, 0.8, 0.5), down=sides))
            for name, line, sides in named
        ]

    def _prefill_ns(self, bar: Bar) -> int:
        assert self.marks is not None
        return self.marks.trace.steps[int(bar.x)].latency_ns


def _figure_text(ns: float | None) -> str:
    return NO_FIGURE if ns is None else short_ms(ns)


def _beside(bar: Bar) -> tuple[Spot, ...]:
    return (Spot(bar.x, bar.y, -0.15, 0.0), Spot(bar.x, bar.y * 0.85, -0.15, 0.0))
