"""What a run is worth saying, each figure with where it comes from."""

from dataclasses import dataclass
from enum import StrEnum

from kvviz.session.gap_text import gap_text
from kvviz.sizing.units import NO_FIGURE, bytes_text, count_text, ms_text
from kvviz.trace.comparison import compare
from kvviz.trace.errors import layer_errors
from kvviz.trace.latency import itl_ns, percentile, tokens_per_second, tpot_ns, ttft_ns
from kvviz.trace.trace import Trace
from kvviz.trace.work import totals


class Origin(StrEnum):
    """Where a number comes from."""

    MEASURED = "measured"
    FORMULA = "formula"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a run as it is read."""

    name: str
    value: str
    origin: Origin


def speed_figures(trace: Trace) -> list[Figure]:
    """Return what the engine's clock says."""
    gaps, rate = itl_ns(trace), tokens_per_second(trace)
    per_second = NO_FIGURE if rate is None else f"{rate:,.0f}"
    return [
        _measured("time to first token (TTFT)", _ms(ttft_ns(trace))),
        _measured("between tokens (ITL), p50", _ms(percentile(gaps, 50))),
        _measured("between tokens (ITL), p95", _ms(percentile(gaps, 95))),
        _measured("per output token (TPOT)", _ms(tpot_ns(trace))),
        _measured("decode tokens/s, mean", per_second),
    ]


def cache_figures(trace: Trace) -> list[Figure]:
    """Return what the cache's tensors took, and whether the formula says the same."""
    last = trace.steps[-1].measured
    peak, copied = trace.column("bytes_peak").max(), trace.column("bytes_copied").sum()
    gathered = int(trace.column("bytes_gathered").sum())
    wrong = sum(step.measured != step.predicted for step in trace.steps)
    agrees = "yes" if not wrong else f"no, {count_text(wrong, 'step')}"
    return [
        _measured("used at the end", bytes_text(last.used)),
        _measured("reserved at the end", bytes_text(last.reserved)),
        _measured("slack at the end", bytes_text(last.slack)),
        _measured("pool", bytes_text(last.pool) if last.pool else NO_FIGURE),
        _measured("peak", bytes_text(int(peak))),
        _measured("copied, all steps", bytes_text(int(copied))),
        _measured("gathered, all steps", bytes_text(gathered) if gathered else NO_FIGURE),
        _measured("lost by codes, mean", _lost(trace)),
        Figure("formula = tensors", agrees, Origin.BOTH),
    ]


def work_figures(trace: Trace) -> list[Figure]:
    """Return the counts of the run beside those of feeding the full prefix each step."""
    work = totals(trace)
    return [
        _formula("token positions", f"{work.token_positions:,}"),
        _formula("naive token positions", f"{work.naive_token_positions:,}"),
        _formula("score cells", f"{work.score_cells:,}"),
        _formula("naive score cells", f"{work.naive_score_cells:,}"),
        _formula("layers x heads x batch", f"x {work.multiplier:,}"),
    ]


def comparison_figures(reference: Trace, trace: Trace) -> list[Figure]:
    """Return whether a run said the same as the reference."""
    found = compare(reference, trace)
    same = "yes" if found.same_tokens else f"no, at {found.first_difference:,}"
    gap = NO_FIGURE if found.max_logit_gap is None else gap_text(found.max_logit_gap)
    return [_measured("same tokens", same), _measured("largest logit gap", gap)]


def kernel_figures(trace: Trace) -> list[Figure]:
    """Return how far a kernel that goes tile by tile is from attention computed whole."""
    gaps = [step.kernel_gap for step in trace.steps if step.kernel_gap is not None]
    return [_measured("blockwise against eager", gap_text(max(gaps)))] if gaps else []


def prefix_figures(trace: Trace) -> list[Figure]:
    """Return what a prompt found in a pool that it shares, and why its other blocks missed."""
    found = trace.steps[0].prefix
    if found is None:
        return []
    first = found.num_tokens // trace.config.layout.block_size
    hits = _measured("prefix found", f"{count_text(found.num_tokens, 'token')}, not computed")
    misses = enumerate(found.misses, start=first)
    return [hits, *(_measured(f"block {block:,} missed", miss) for block, miss in misses)]


def _lost(trace: Trace) -> str:
    errors = layer_errors(trace)
    if errors is None:
        return NO_FIGURE
    sides = [part[side] for part in errors for side in ("k", "v")]
    return f"{sum(sides) / len(sides):.2%}"


def _measured(name: str, value: str) -> Figure:
    return Figure(name, value, Origin.MEASURED)


def _formula(name: str, value: str) -> Figure:
    return Figure(name, value, Origin.FORMULA)


def _ms(nanoseconds: float | None) -> str:
    return NO_FIGURE if nanoseconds is None else ms_text(nanoseconds)
