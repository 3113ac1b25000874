"""What the charts of compared runs draw: bytes over tokens, and what decode steps take."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from kvviz.session.runs import Run
from kvviz.session.series import formula_line
from kvviz.trace.step import Phase
from kvviz.ui.comparison.lines import Curve
from kvviz.ui.views.axis import Axis, byte_axis, ms_axis, token_axis

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


def running_median(values: np.ndarray, width: int) -> np.ndarray:
    """Return the median of each value and its neighbours, ``width`` in all; fewer at the ends."""
    half = width // 2
    spans = [values[max(0, i - half) : i + half + 1] for i in range(len(values))]
    return np.array([int(np.median(span)) for span in spans], np.int64)
