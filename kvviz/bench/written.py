"""Traces written by hand, for what must be drawn however fast a model would be."""

import numpy as np

from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelSpec, RunConfig, TokenizerKind
from kvviz.trace.step import Candidate, Phase, Step, StepArrays
from kvviz.trace.trace import Trace

PROMPT_TOKENS = 16


def written_trace(rows: int, shape: ModelShape) -> Trace:
    """Return a run of ``rows`` rows, one decode step each behind a short prompt."""
    config = RunConfig(
        model=ModelSpec(shape),
        prompt_ids=tuple(range(PROMPT_TOKENS)),
        layout=CacheLayout(LayoutKind.CONCAT, DType.FLOAT32),
        tokenizer=TokenizerKind.IDS,
        max_new_tokens=rows - PROMPT_TOKENS + 1,
        max_seq_len=rows + 1,
    )
    trace, rng = Trace(config), np.random.default_rng(7)
    while trace.seq_len < rows:
        fed = 1 if trace.seq_len else PROMPT_TOKENS
        trace.append(_step(trace, fed, rng), _arrays(shape, fed, rng))
    return trace


def _step(trace: Trace, fed: int, rng: np.random.Generator) -> Step:
    before, after, config = trace.seq_len, trace.seq_len + fed, trace.config
    parts = config.model.shape.cache_parts
    sizes = config.layout.predict(
        parts, batch=1, before=before, after=after, max_seq_len=config.max_seq_len
    )
    chosen = int(rng.integers(config.model.shape.vocab_size))
    return Step(
        index=len(trace),
        phase=Phase.DECODE if before else Phase.PREFILL,
        num_tokens_fed=fed,
        seq_len=after,
        latency_ns=int(rng.gamma(4.0, 50_000.0)),
        measured=sizes,
        predicted=sizes,
        token_positions=fed,
        score_cells=fed * (before + after + 1) // 2,
        new_ids=(chosen,) * fed,
        new_pieces=(str(chosen),) * fed,
        token_id=chosen,
        piece=str(chosen),
        probability=0.5,
        candidates=(Candidate(chosen, str(chosen), 0.5),),
    )


def _arrays(shape: ModelShape, fed: int, rng: np.random.Generator) -> StepArrays:
    def draw(heads: int) -> np.ndarray:
        size = (shape.num_layers, heads, fed, shape.head_dim)
        return rng.standard_normal(size, np.float32)

    kv_heads = shape.num_kv_heads
    return StepArrays(draw(shape.num_heads), draw(kv_heads), draw(kv_heads), None)
