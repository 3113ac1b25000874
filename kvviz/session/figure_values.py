"""How each figure is read off a moment, by origin and unit; None where it is not there yet.

Names begin with ``reference_`` where the other run's figure is meant.  ``run_`` is the whole run,
the rest is the step at the cursor.
"""

from collections.abc import Callable, Mapping

import numpy as np

from kvviz.session.moment import Moment
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheLayout
from kvviz.sizing.shape import ModelShape
from kvviz.trace.comparison import Comparison, compare
from kvviz.trace.latency import itl_ns, percentile, tokens_per_second, ttft_ns
from kvviz.trace.trace import Trace
from kvviz.trace.work import totals

Value = int | float | str | None
Read = Callable[[Moment], Value]
Group = Mapping[str, Mapping[str, Read]]

EXAMPLE = ModelShape(32, 32, 32, 128)  # a model of 7 billion weights, at 4,096 tokens in bfloat16
EXAMPLE_TOKENS = 4096
GIB = 2**30


def _of_step(field: str) -> Read:
    return lambda m: getattr(m.step, field) if m.step else None


def _of_bytes(side: str, field: str) -> Read:
    return lambda m: getattr(getattr(m.step, side), field) if m.step else None


def _of_cell(field: str) -> Read:
    return lambda m: getattr(m.cell, field) if m.cell else None


def _of_shape(field: str) -> Read:
    return lambda m: getattr(m.trace.config.model.shape, field)


def _of_config(field: str) -> Read:
    return lambda m: getattr(m.trace.config, field)


def _of_run(read: Callable[[Trace], Value]) -> Read:
    return lambda m: read(m.trace) if len(m.trace) else None


def _of_reference(read: Callable[[Trace], Value]) -> Read:
    return lambda m: read(m.reference) if m.reference is not None and len(m.reference) else None


def _of_comparison(read: Callable[[Comparison], Value]) -> Read:
    def value(m: Moment) -> Value:
        if m.reference is None or not len(m.reference) or not len(m.trace):
            return None
        return read(compare(m.reference, m.trace))

    return value


def _ratio(above: Read, below: Read) -> Read:
    def value(m: Moment) -> Value:
        first, second = above(m), below(m)
        if not isinstance(first, int | float) or not isinstance(second, int | float) or not second:
            return None
        return first / second

    return value


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


def elements_per_token(shape: ModelShape) -> int:
    """Elements of K and V that one token adds over all layers."""
    return sum(part.elements_per_token for part in shape.cache_parts)


def bytes_per_token(trace: Trace) -> int:
    """Bytes that one token of every sequence adds where a cache keeps it, scales not counted."""
    config = trace.config
    elements = elements_per_token(config.model.shape) * config.batch
    return elements * config.layout.kv_dtype.bits // 8


def _mha_bytes(m: Moment) -> int:
    return bytes_per_token(m.trace) * m.trace.config.model.shape.group_size


def _at_limit(m: Moment) -> int:
    return bytes_per_token(m.trace) * m.trace.config.max_seq_len


def _factors(trace: Trace, tokens: int) -> list[str]:
    config, shape = trace.config, trace.config.model.shape
    batch = [f"{config.batch} sequences"] if config.batch > 1 else []
    length = [f"{tokens:,} tokens"] if tokens > 1 else []
    return [
        "2",
        f"{shape.num_layers} layers",
        *batch,
        *length,
        f"{shape.num_kv_heads} KV heads",
        f"{shape.head_dim}",
        f"{config.layout.kv_dtype.bits / 8:g} bytes",
    ]


def _times(parts: list[str]) -> str:
    return " × ".join(parts)  # noqa: RUF001 - the sign of multiplication


def _example(batch: int) -> int:
    return CacheLayout(kv_dtype=DType.BFLOAT16).payload(EXAMPLE.cache_parts, batch, EXAMPLE_TOKENS)


def _formula_now(m: Moment) -> Value:
    return _times(_factors(m.trace, m.step.seq_len)) if m.step else None


def _triangle(count: int) -> int:
    return count * (count + 1) // 2


MEASURED: Group = {
    "count": {
        "prompt_tokens": lambda m: len(m.trace.config.prompt_ids),
        "seq_len": _of_step("seq_len"),
        "tokens_fed": _of_step("num_tokens_fed"),
        "new_rows": lambda m: len(m.step.new_ids) if m.step else None,
        "held_before": lambda m: m.step.first_row if m.step else None,
        "run_tokens": _of_run(lambda trace: len(trace.generated_ids)),
        "run_steps": _of_run(len),
        "first_difference": _of_comparison(lambda found: found.first_difference),
    },
    "bytes": {
        "bytes_used": lambda m: m.used if m.step else None,
        "bytes_reserved": _of_bytes("measured", "reserved"),
        "bytes_peak": _of_bytes("measured", "peak"),
        "bytes_copied": _of_bytes("measured", "copied"),
        "bytes_slack": _of_bytes("measured", "slack"),
        "bytes_added": lambda m: _grown(m, m.index),
        "next_bytes_added": lambda m: _grown(m, m.index + 1),
        "run_copied": _of_run(lambda trace: int(trace.column("bytes_copied").sum())),
        "run_peak": _of_run(lambda trace: int(trace.column("bytes_peak").max())),
        "reference_used": _of_reference(lambda trace: trace.steps[-1].measured.used),
        "reference_reserved": _of_reference(lambda trace: trace.steps[-1].measured.reserved),
        "reference_peak": _of_reference(lambda trace: int(trace.column("bytes_peak").max())),
        "reference_copied": _of_reference(lambda trace: int(trace.column("bytes_copied").sum())),
    },
    "exact bytes": {"bytes_used_exactly": lambda m: m.used if m.step else None},
    "ns": {
        "step_latency": _of_step("latency_ns"),
        "ttft": _of_run(ttft_ns),
        "itl_p50": _of_run(_itl(50)),
        "run_latency": _of_run(_elapsed),
        "reference_ttft": _of_reference(ttft_ns),
        "reference_itl_p50": _of_reference(_itl(50)),
        "reference_last_latency": _of_reference(_last_step),
        "reference_run_latency": _of_reference(_elapsed),
    },
    "number": {
        "probability": _of_step("probability"),
        "second_probability": _candidate(1, "probability"),
        "tokens_per_second": _of_run(tokens_per_second),
        "cell_score": _of_cell("score"),
        "cell_weight": _of_cell("weight"),
    },
    "gap": {
        "logit_gap": _of_comparison(lambda found: found.max_logit_gap),
        "first_logit_gap": _first_gap,
    },
    "yes or no": {
        "same_tokens": _of_comparison(lambda found: found.same_tokens),
        "same_first_token": _same_first,
    },
    "text": {
        "token": _of_step("piece"),
        "second_token": _candidate(1, "piece"),
        "cell_query": _piece_at(0),
        "cell_key": _piece_at(1),
    },
}
FORMULA: Group = {
    "count": {
        "num_layers": _of_shape("num_layers"),
        "num_heads": _of_shape("num_heads"),
        "num_kv_heads": _of_shape("num_kv_heads"),
        "group_size": _of_shape("group_size"),
        "head_dim": _of_shape("head_dim"),
        "vocab_size": _of_shape("vocab_size"),
        "max_seq_len": _of_config("max_seq_len"),
        "batch": _of_config("batch"),
        "cell_kv_head": _of_cell("kv_head"),
        "kv_vectors": lambda m: (
            2 * m.trace.config.model.shape.num_layers * m.trace.config.model.shape.num_kv_heads
        ),
        "score_cells": _of_step("score_cells"),
        "token_positions": _of_step("token_positions"),
        "next_row_cells": lambda m: m.step.seq_len + 1 if m.step else None,
        "prompt_cells": lambda m: _triangle(len(m.trace.config.prompt_ids)),
        "run_cells": _of_run(lambda trace: totals(trace).score_cells),
        "run_positions": _of_run(lambda trace: totals(trace).token_positions),
        "naive_cells": _of_run(lambda trace: totals(trace).naive_score_cells),
        "naive_positions": _of_run(lambda trace: totals(trace).naive_token_positions),
        "users_in_a_gib": lambda m: GIB // _at_limit(m),
    },
    "bytes": {
        "predicted_bytes": _of_bytes("predicted", "used"),
        "predicted_reserved": _of_bytes("predicted", "reserved"),
        "bytes_per_token": lambda m: bytes_per_token(m.trace),
        "mha_bytes_per_token": _mha_bytes,
        "bytes_at_limit": _at_limit,
        "example_bytes": lambda _: _example(1),
        "example_bytes_of_16": lambda _: _example(16),
        "reference_bytes_per_token": _of_reference(bytes_per_token),
    },
    "exact bytes": {
        "bytes_per_token_exactly": lambda m: bytes_per_token(m.trace),
        "example_bytes_exactly": lambda _: _example(1),
    },
    "ratio": {
        "times_naive_cells": _ratio(
            _of_run(lambda trace: totals(trace).naive_score_cells),
            _of_run(lambda trace: totals(trace).score_cells),
        ),
        "times_naive_positions": _ratio(
            _of_run(lambda trace: totals(trace).naive_token_positions),
            _of_run(lambda trace: totals(trace).token_positions),
        ),
    },
    "text": {
        "attention_kind": _of_shape("attention_kind"),
        "dtype": _of_config("dtype"),
        "layout": lambda m: m.trace.config.layout.kind.value,
        "formula_per_token": lambda m: _times(_factors(m.trace, 1)),
        "formula_now": _formula_now,
    },
}
