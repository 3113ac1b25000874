"""What the latency chart says in numbers, up to a step, and how high it must reach."""

from dataclasses import dataclass

import numpy as np

from kvviz.session.series import Numbers, latency_series
from kvviz.session.step_marks import StepMarks

ROW = 5  # decode steps in a row whose median counts: two slow ones among them do not


@dataclass(frozen=True, slots=True)
class LatencyFigures:
    """Figures of steps 0..upto, in ns; None where there is nothing to tell yet."""

    ttft_ns: int | None = None
    p50_ns: float | None = None
    p95_ns: float | None = None
    tokens_per_second: float | None = None


def latency_figures(marks: StepMarks, upto: int) -> LatencyFigures:
    """Return the figures of ``kvviz.trace.latency``, at the cursor instead of at the end."""
    decode_ns = latency_series(marks, upto).decode_ns
    chose = marks.chose[: upto + 1]
    latency = marks.trace.column("latency_ns")
    ttft = int(latency[: int(chose.argmax()) + 1].sum()) if chose.any() else None
    if not len(decode_ns):
        return LatencyFigures(ttft)
    p50, p95 = np.percentile(decode_ns, (50, 95))
    rate = len(decode_ns) * 1e9 / max(1, int(decode_ns.sum()))
    return LatencyFigures(ttft, float(p50), float(p95), rate)


def decode_level_ns(decode_ns: Numbers) -> int:
    """Return the highest that decode steps stayed at: the largest median of five in a row.

    A chart's range follows it: a single slow step does not move it, and once five steps are known
    it only grows.  0 where there are no steps.
    """
    if len(decode_ns) < ROW:
        return int(np.median(decode_ns)) if len(decode_ns) else 0
    count = len(decode_ns) - ROW + 1
    a, b, c, d, e = (decode_ns[first : first + count] for first in range(ROW))
    # The median of five without a sort: neither the lowest nor the highest of four can be it.
    low = np.maximum(np.minimum(a, b), np.minimum(c, d))
    high = np.minimum(np.maximum(a, b), np.maximum(c, d))
    median = np.maximum(np.minimum(low, high), np.minimum(np.maximum(low, high), e))
    return int(median.max())
