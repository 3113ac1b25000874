"""Figures read off a run: its tokens, its tensors, its clock, its logits.

Names begin with ``reference_`` where the other run's figure is meant.  ``run_`` is the whole run,
the rest is the step at the cursor.
"""

from collections.abc import Callable

import numpy as np

from kvviz.session.figure_reading import (
    Group,
    Read,
    Value,
    of_bytes,
    of_cell,
    of_comparison,
    of_reference,
    of_run,
    of_step,
)
from kvviz.session.inspection import inspect_cell
from kvviz.session.moment import Moment
from kvviz.session.tiling import kernel_gap
from kvviz.trace.comparison import Comparison
from kvviz.trace.latency import itl_ns, percentile, tokens_per_second, ttft_ns
from kvviz.trace.trace import Trace


def _candidate(place: int, field: str) -> Read:
    def value(m: Moment) -> Value:
        candidates = m.step.candidates if m.step else ()
        return getattr(candidates[place], field) if len(candidates) > place else None

    return value


def _piece_at(side: int) -> Read:
    def value(m: Moment) -> Value:
        cell, step = m.selection.cell, m.step
        if cell is None or step is None or cell[side] >= step.seq_len:
            return None
        return m.trace.tokens_at(m.index)[cell[side]].piece

    return value


def _grown(m: Moment, index: int) -> Value:
    now, before = m.step_at(index), m.step_at(index - 1)
    return now.measured.used - (before.measured.used if before else 0) if now else None


def _elapsed(trace: Trace) -> int:
    return int(trace.column("latency_ns").sum())


def _itl(percent: float) -> Callable[[Trace], Value]:
    return lambda trace: percentile(itl_ns(trace), percent)


def _calls(which: slice) -> Callable[[Trace], Value]:
    """Half of some decode steps took as long or less: one step alone may have been disturbed."""
    return lambda trace: percentile(itl_ns(trace)[which], 50)


def _last_step(trace: Trace) -> Value:
    return trace.steps[-1].latency_ns


def _first_gap(m: Moment) -> Value:
    ours, theirs = _first_logits(m.trace), _first_logits(m.reference)
    if ours is None or theirs is None or ours.shape != theirs.shape:
        return None
    return float(np.abs(ours.astype(np.float64) - theirs).max())


def _first_logits(trace: Trace | None) -> "np.ndarray | None":
    steps = trace.steps if trace is not None else []
    first = next((step.index for step in steps if step.token_id is not None), None)
    return None if trace is None or first is None else trace.logits(first)


def _same_first(m: Moment) -> Value:
    ours, theirs = m.trace.generated_ids[:1], m.reference.generated_ids[:1] if m.reference else []
    return ours == theirs if ours and theirs else None


def _agreement(found: Comparison) -> Value:
    """Say whether all tokens are the same, and if not, from which on they differ."""
    if found.first_difference is None:
        return "yes, all of them"
    return f"no, from token {found.first_difference + 1:,} of the answer on"


def _answer(trace: Trace) -> Value:
    return "".join(trace.generated_pieces)


def _largest_logit(trace: Trace) -> Value:
    """Return how large the logits are that tokens were chosen by: without it a gap says little."""
    found = (trace.logits(step.index) for step in trace.steps if step.token_id is not None)
    sizes = (float(np.abs(logits).max()) for logits in found if logits is not None)
    return max(sizes, default=None)


def _logit_lead(m: Moment) -> Value:
    """Return how far the best logit lies before the second: what rounding must make up."""
    logits = m.trace.logits(m.index) if m.step else None
    if logits is None:
        return None
    second, best = np.partition(logits, -2)[-2:]
    return float(best) - float(second)


def _miss_reason(m: Moment) -> Value:
    """Say why the first block of a prompt that was not found in the pool was not."""
    prefix = m.step.prefix if m.step else None
    return prefix.misses[0].value if prefix and prefix.misses else None


def _output_gap(m: Moment) -> Value:
    """Compare the cell's head with the model's own output: the largest difference in its row."""
    selection = m.selection
    if m.cell is None or selection.cell is None or not isinstance(selection.head, int):
        return None
    return inspect_cell(m.trace, selection.layer, selection.head, *selection.cell).output_gap


MEASURED: Group = {
    "count": {
        "prompt_tokens": lambda m: len(m.trace.config.prompt_ids),
        "seq_len": of_step("seq_len"),
        "tokens_fed": of_step("num_tokens_fed"),
        "new_rows": lambda m: len(m.step.new_ids) if m.step else None,
        "tokens_reused": of_step("num_tokens_reused"),
        "held_before": lambda m: m.step.first_row if m.step else None,
        "run_tokens": of_run(lambda trace: len(trace.generated_ids)),
        "run_steps": of_run(len),
        "first_difference": of_comparison(lambda found: found.first_difference),
    },
    "bytes": {
        "bytes_used": lambda m: m.used if m.step else None,
        "bytes_reserved": of_bytes("measured", "reserved"),
        "bytes_peak": of_bytes("measured", "peak"),
        "bytes_copied": of_bytes("measured", "copied"),
        "run_used": of_run(lambda trace: trace.steps[-1].measured.used),
        "bytes_slack": of_bytes("measured", "slack"),
        "bytes_gathered": of_bytes("measured", "gathered"),
        "bytes_added": lambda m: _grown(m, m.index),
        "next_bytes_added": lambda m: _grown(m, m.index + 1),
        "run_copied": of_run(lambda trace: int(trace.column("bytes_copied").sum())),
        "run_peak": of_run(lambda trace: int(trace.column("bytes_peak").max())),
        "reference_used": of_reference(lambda trace: trace.steps[-1].measured.used),
        "reference_reserved": of_reference(lambda trace: trace.steps[-1].measured.reserved),
        "reference_slack": of_reference(lambda trace: trace.steps[-1].measured.slack),
        "reference_peak": of_reference(lambda trace: int(trace.column("bytes_peak").max())),
        "reference_copied": of_reference(lambda trace: int(trace.column("bytes_copied").sum())),
    },
    "exact bytes": {"bytes_used_exactly": lambda m: m.used if m.step else None},
    "ns": {
        "step_latency": of_step("latency_ns"),
        "ttft": of_run(ttft_ns),
        "itl_p50": of_run(_itl(50)),
        "first_calls": of_run(_calls(slice(10))),
        "last_calls": of_run(_calls(slice(-10, None))),
        "run_latency": of_run(_elapsed),
        "reference_ttft": of_reference(ttft_ns),
        "reference_itl_p50": of_reference(_itl(50)),
        "reference_last_latency": of_reference(_last_step),
        "reference_run_latency": of_reference(_elapsed),
    },
    "probability": {
        "probability": of_step("probability"),
        "second_probability": _candidate(1, "probability"),
    },
    "number": {
        "tokens_per_second": of_run(tokens_per_second),
        "largest_logit": of_run(_largest_logit),
        "logit_lead": _logit_lead,
        "cell_score": of_cell("score"),
        "cell_weight": of_cell("weight"),
    },
    "gap": {
        "logit_gap": of_comparison(lambda found: found.max_logit_gap),
        "first_logit_gap": _first_gap,
        "kernel_gap": lambda m: kernel_gap(m.trace, m.index),
        "cell_output_gap": _output_gap,
    },
    "yes or no": {
        "same_tokens": of_comparison(lambda found: found.same_tokens),
        "same_first_token": _same_first,
    },
    "text": {
        "token": of_step("piece"),
        "answer": of_run(_answer),
        "reference_answer": of_reference(_answer),
        "agreement": of_comparison(_agreement),
        "miss_reason": _miss_reason,
        "second_token": _candidate(1, "piece"),
        "cell_query": _piece_at(0),
        "cell_key": _piece_at(1),
    },
}
