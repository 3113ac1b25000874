"""Figures worked out from what a run was asked to do: shape, layout, lengths."""

from collections.abc import Callable

from kvviz.session.figure_reading import (
    Group,
    Read,
    Value,
    of_bytes,
    of_cell,
    of_config,
    of_reference,
    of_run,
    of_shape,
    of_step,
    ratio,
)
from kvviz.session.moment import Moment
from kvviz.session.tiling import Tiling, tiling
from kvviz.sizing.blocks import blocks_for
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheLayout
from kvviz.sizing.shape import ModelShape
from kvviz.sizing.units import count_text
from kvviz.trace.trace import Trace
from kvviz.trace.work import totals

EXAMPLE = ModelShape(32, 32, 32, 128)  # a model of 7 billion weights, at 4,096 tokens in bfloat16
EXAMPLE_TOKENS = 4096
EXAMPLE_WEIGHTS = 7_000_000_000
GIB = 2**30


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
        count_text(shape.num_layers, "layer"),
        *batch,
        *length,
        count_text(shape.num_kv_heads, "KV head"),
        f"{shape.head_dim} numbers",
        count_text(config.layout.kv_dtype.bits // 8, "byte"),
    ]


def _times(parts: list[str]) -> str:
    return " × ".join(parts)  # noqa: RUF001 - the sign of multiplication


def _example(batch: int) -> int:
    return CacheLayout(kv_dtype=DType.BFLOAT16).payload(EXAMPLE.cache_parts, batch, EXAMPLE_TOKENS)


def _formula_now(m: Moment) -> Value:
    return _times(_factors(m.trace, m.step.seq_len)) if m.step else None


def _triangle(count: int) -> int:
    return count * (count + 1) // 2


def _of_layout(field: str) -> Read:
    return lambda m: getattr(m.trace.config.layout, field)


def _of_tiling(read: Callable[[Tiling], int]) -> Read:
    def value(m: Moment) -> Value:
        found = tiling(m.trace, m.step, m.selection.layer) if m.step else None
        return read(found) if found else None

    return value


def _held(m: Moment) -> Value:
    return m.trace.config.layout.held(m.step.seq_len) if m.step else None


def _blocks(m: Moment) -> Value:
    if m.step is None:
        return None
    config = m.trace.config
    lengths = config.row_lengths(m.step.seq_len)
    return sum(blocks_for(tokens, config.layout.block_size) for tokens in lengths)


FORMULA: Group = {
    "count": {
        "num_layers": of_shape("num_layers"),
        "num_heads": of_shape("num_heads"),
        "num_kv_heads": of_shape("num_kv_heads"),
        "group_size": of_shape("group_size"),
        "head_dim": of_shape("head_dim"),
        "vocab_size": of_shape("vocab_size"),
        "max_seq_len": of_config("max_seq_len"),
        "batch": of_config("batch"),
        "cell_kv_head": of_cell("kv_head"),
        "kv_vectors": lambda m: (
            2 * m.trace.config.model.shape.num_layers * m.trace.config.model.shape.num_kv_heads
        ),
        "score_cells": of_step("score_cells"),
        "token_positions": of_step("token_positions"),
        "block_size": _of_layout("block_size"),
        "blocks": _blocks,
        "window": _of_layout("window"),
        "sinks": _of_layout("sinks"),
        "held_tokens": _held,
        "tokens_fallen": lambda m: (
            m.step.seq_len - m.trace.config.layout.held(m.step.seq_len) if m.step else None
        ),
        "tile_size": of_config("tile"),
        "tile_cells": lambda m: m.trace.config.tile**2,
        "tiles_computed": _of_tiling(lambda found: len(found.tiles)),
        "tiles_skipped": _of_tiling(lambda found: found.skipped),
        "matrix_cells": lambda m: m.step.seq_len**2 if m.step else None,
        "next_row_cells": lambda m: m.step.seq_len + 1 if m.step else None,
        "prompt_cells": lambda m: _triangle(len(m.trace.config.prompt_ids)),
        "run_cells": of_run(lambda trace: totals(trace).score_cells),
        "run_positions": of_run(lambda trace: totals(trace).token_positions),
        "naive_cells": of_run(lambda trace: totals(trace).naive_score_cells),
        "naive_positions": of_run(lambda trace: totals(trace).naive_token_positions),
        "users_in_a_gib": lambda m: GIB // _at_limit(m),
    },
    "bytes": {
        "predicted_bytes": of_bytes("predicted", "used"),
        "predicted_reserved": of_bytes("predicted", "reserved"),
        "bytes_per_token": lambda m: bytes_per_token(m.trace),
        "mha_bytes_per_token": _mha_bytes,
        "bytes_at_limit": _at_limit,
        "example_bytes": lambda _: _example(1),
        "example_bytes_of_16": lambda _: _example(16),
        "example_weights": lambda _: EXAMPLE_WEIGHTS * DType.BFLOAT16.bits // 8,
        "reference_bytes_per_token": of_reference(bytes_per_token),
    },
    "exact bytes": {
        "bytes_per_token_exactly": lambda m: bytes_per_token(m.trace),
        "example_bytes_exactly": lambda _: _example(1),
    },
    "ratio": {
        "times_naive_cells": ratio(
            of_run(lambda trace: totals(trace).naive_score_cells),
            of_run(lambda trace: totals(trace).score_cells),
        ),
        "times_naive_positions": ratio(
            of_run(lambda trace: totals(trace).naive_token_positions),
            of_run(lambda trace: totals(trace).token_positions),
        ),
    },
    "text": {
        "attention_kind": of_shape("attention_kind"),
        "dtype": of_config("dtype"),
        "layout": lambda m: m.trace.config.layout.kind.value,
        "formula_per_token": lambda m: _times(_factors(m.trace, 1)),
        "formula_now": _formula_now,
    },
}
