"""The right of the window while layouts are compared: bytes and clock of all runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvviz.session.runs import Run
from kvviz.session.series import formula_line
from kvviz.trace.step import Phase
from kvviz.ui.comparison.lines import Curve, RunLines
from kvviz.ui.store import Store
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import Axis, byte_axis, ms_axis, token_axis
from kvviz.ui.views.chart import RIGHT
from kvviz.ui.widgets.segmented import Segmented

SMOOTHED = 7  # decode steps whose median is one point of a line


class Kept(StrEnum):
    """Which bytes are drawn."""

    RESERVED = "reserved"
    PEAK = "peak"
    USED = "used"


KEPT = (
    (Kept.RESERVED, "reserved", "What is allocated for the run after each step."),
    (Kept.PEAK, "peak", "The most that is held during each step: concat has old and new at once."),
    (Kept.USED, "used", "Live keys and values after each step."),
)


@dataclass(slots=True)
class BytesDrawing:
    """Bytes of every run over its tokens: the formula's line with the tensors' dots on it."""

    kept: Kept = Kept.RESERVED
    title: str = "KV memory"
    tags: tuple[str, ...] = ("measured", "formula")
    words: str = "dashed: the formula, to the planned end · dots: the tensors"
    joins: bool = False

    def curves(self, runs: tuple[Run, ...]) -> list[Curve]:
        """Return bytes over tokens, and the formula's line."""
        curves = []
        for run in runs:
            line = formula_line(run.config, run.planned_rows)
            trace = run.trace
            measured = trace.column("seq_len"), trace.column(f"bytes_{self.kept}")
            curves.append(Curve(run, *measured, (line.tokens, getattr(line, self.kept))))
        return curves

    def axes(self, curves: Sequence[Curve]) -> tuple[Axis, Axis]:
        """Cover the planned tokens and the most bytes of any run."""
        lines = [(curve.formula, curve.y) for curve in curves if curve.formula]
        last = max((int(x[-1]) for (x, _), _ in lines), default=64)
        tops = (max(int(np.max(y)), int(np.max(dots, initial=0))) for (_, y), dots in lines)
        return token_axis(last), byte_axis(max(1, max(tops, default=100 * 2**10)))


@dataclass(slots=True)
class LatencyDrawing:
    """What decode steps take, smoothed so that eight lines can be told apart."""

    title: str = "Latency"
    tags: tuple[str, ...] = ("measured",)
    words: str = f"decode: each point is the median of {SMOOTHED} steps"
    joins: bool = True

    def curves(self, runs: tuple[Run, ...]) -> list[Curve]:
        """Return the running median of the decode steps over their index."""
        curves = []
        for run in runs:
            steps = run.trace.steps
            decode = [s.latency_ns for s in steps if s.phase is Phase.DECODE]
            if decode and not run.live:
                first = len(steps) - len(decode)
                medians = running_median(np.array(decode, np.int64), SMOOTHED)
                curves.append(Curve(run, first + np.arange(len(decode)), medians))
        return curves

    def axes(self, curves: Sequence[Curve]) -> tuple[Axis, Axis]:
        """Cover every decode step."""
        last = max((int(c.x[-1]) for c in curves), default=24)
        most = max((float(c.y.max()) for c in curves), default=1e6)
        ticks = ((0.0, "0"), (float(last), f"{last:,}"), (last / 2, "decode step"))
        return Axis(0.0, float(max(1, last)), ticks), ms_axis(1.1 * most)


class MemoryLines(RunLines):
    """Bytes, and in the corner the choice which."""

    def __init__(self, store: Store, look: ThemeManager) -> None:
        self.bytes = BytesDrawing()
        super().__init__(store, look, self.bytes)
        self.toggle = Segmented(
            look, KEPT, Kept.RESERVED, name="Which bytes", kind="bare", parent=self.chart
        )
        self.toggle.chosen.connect(self._on_chosen)
        look.changed.connect(self._dress_toggle)  # after the buttons, which dress themselves
        self._dress_toggle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the toggle in the corner above the plot."""
        super().resizeEvent(event)
        self._place_toggle()

    @Slot()
    def _dress_toggle(self) -> None:
        px = self.look.px
        self.toggle.setStyleSheet(f"QPushButton {{ min-height: 0; padding: 0 {px(5)}px; }}")
        for value, _, _ in KEPT:
            self.toggle.button(value).setFont(self.look.font(11))
            self.toggle.button(value).setFixedHeight(px(17))
        self._place_toggle()

    def _place_toggle(self) -> None:
        self.toggle.adjustSize()
        right = self.chart.width() - self.look.px(RIGHT)
        self.toggle.move(right - self.toggle.width(), 0)

    @Slot(object)
    def _on_chosen(self, kept: object) -> None:
        self.bytes.kept = Kept(str(kept))
        self.draw()


class ComparisonCharts(QWidget):
    """Memory above, latency below."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.memory = MemoryLines(store, look)
        self.latency = RunLines(store, look, LatencyDrawing())
        self.views = (self.memory, self.latency)
        self._layout = QVBoxLayout(self)
        for view in self.views:
            self._layout.addWidget(view, 1)
        set_ground(self, "bg1")
        look.changed.connect(self._on_look_changed)
        self._on_look_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        px = self._look.px
        self._layout.setContentsMargins(px(16), px(12), px(12), px(12))
        self._layout.setSpacing(px(14))


def running_median(values: np.ndarray, width: int) -> np.ndarray:
    """Return the median of each value and its neighbours, ``width`` in all; fewer at the ends."""
    half = width // 2
    spans = [values[max(0, i - half) : i + half + 1] for i in range(len(values))]
    return np.array([int(np.median(span)) for span in spans], np.int64)
