"""What the engine's clock says of a run; pause, pace and records are not in it."""

from collections.abc import Sequence

import numpy as np

from kvviz.trace.step import Phase
from kvviz.trace.trace import Trace


def ttft_ns(trace: Trace) -> int | None:
    """Time to first token: every step up to and including the first that chose a token.

    None while no token is known.
    """
    first = _first_choice(trace)
    return None if first is None else sum(step.latency_ns for step in trace.steps[: first + 1])


def itl_ns(trace: Trace) -> list[int]:
    """Inter-token latencies: one for each decode step, so G - 1 for a run of G tokens."""
    return [step.latency_ns for step in trace.steps if step.phase is Phase.DECODE]


def tpot_ns(trace: Trace) -> int | None:
    """Time per output token: (end - first token) / (N - 1), to the nearest ns; None when N < 2.

    For a run with one prefill this is the mean of ``itl_ns``; a second prefill counts too.
    """
    first, tokens = _first_choice(trace), len(trace.generated_ids)
    if first is None or tokens < 2:
        return None
    return round(sum(step.latency_ns for step in trace.steps[first + 1 :]) / (tokens - 1))


def percentile(latencies_ns: Sequence[int], percent: float) -> float | None:
    """Return a percentile in ns, interpolated linearly between the two nearest values.

    None where there are no values.
    """
    return float(np.percentile(latencies_ns, percent)) if latencies_ns else None


def tokens_per_second(trace: Trace) -> float | None:
    """Decode rate of all sequences: their tokens over the time they took; None without any."""
    latencies = itl_ns(trace)
    total = sum(latencies)
    return trace.config.batch * len(latencies) * 1e9 / total if total else None


def _first_choice(trace: Trace) -> int | None:
    return next((step.index for step in trace.steps if step.token_id is not None), None)
