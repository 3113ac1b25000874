"""What the latency chart says in numbers, up to a step."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kvviz.session.growing import Numbers
from kvviz.session.step_marks import StepMarks


@dataclass(frozen=True, slots=True)
class LatencyFigures:
    """Figures of steps 0..upto, in ns; None where there is nothing to tell yet."""

    ttft_ns: int | None = None
    p50_ns: float | None = None
    p95_ns: float | None = None
    tokens_per_second: float | None = None


def latency_figures(marks: StepMarks, upto: int) -> LatencyFigures:
    """Return the figures of ``kvviz.trace.latency``, at the cursor instead of at the end."""
    decode_ns = marks.decode_points(upto).latency_ns
    chose = marks.chose[: upto + 1]
    latency = marks.trace.column("latency_ns")
    ttft = int(latency[: int(chose.argmax()) + 1].sum()) if chose.any() else None
    if not len(decode_ns):
        return LatencyFigures(ttft)
    p50, p95 = _percentiles(decode_ns, (0.5, 0.95))
    tokens = marks.trace.config.batch * len(decode_ns)
    rate = tokens * 1e9 / max(1, int(decode_ns.sum()))
    return LatencyFigures(ttft, p50, p95, rate)


def _percentiles(values: Numbers, shares: Sequence[float]) -> list[float]:
    """Return ``np.percentile`` of int64 [n], which takes three times as long to the same end."""
    last = len(values) - 1
    below = [int(last * share) for share in shares]
    above = [min(place + 1, last) for place in below]
    ordered = np.partition(values, below + above)
    return [
        _between(int(ordered[low]), int(ordered[high]), last * share - low)
        for share, low, high in zip(shares, below, above, strict=True)
    ]


def _between(low: int, high: int, part: float) -> float:
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)
