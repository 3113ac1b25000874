"""Traces of figures only: one layer, one head, and any latencies one likes."""

import numpy as np

from kvviz.sizing.layout import CacheBytes, CacheLayout, LayoutKind
from kvviz.sizing.shape import ModelShape
from kvviz.sizing.work import score_cells
from kvviz.trace.config import ModelSpec, RunConfig
from kvviz.trace.step import Phase, Step, StepArrays
from kvviz.trace.trace import Trace

SHAPE = ModelShape(num_layers=1, num_heads=1, num_kv_heads=1, head_dim=4, vocab_size=8)


def plain_trace(
    chunks=(6,),
    decodes=0,
    *,
    layout=LayoutKind.PREALLOCATED,
    latencies=(),
    new_tokens=24,
    prefill_chunk=0,
):
    """Prefill passes of ``chunks`` tokens, then ``decodes`` steps; the last chunk chooses."""
    config = RunConfig(
        model=ModelSpec(SHAPE),
        prompt_ids=(1,) * sum(chunks),
        layout=CacheLayout(layout),
        max_new_tokens=new_tokens,
        max_seq_len=sum(chunks) + max(new_tokens, decodes + 1) + 16,
        prefill_chunk=prefill_chunk,
    )
    trace = Trace(config)
    for number, added in enumerate(chunks):
        add_step(trace, Phase.PREFILL, added, number == len(chunks) - 1, latencies)
    for _ in range(decodes):
        add_step(trace, Phase.DECODE, 1, True, latencies)
    return trace


def add_step(trace, phase, added, chooses, latencies=(), measured=None):
    """Append one step; its latency is that of ``latencies`` at its index, 1000 ns without."""
    index, before = len(trace), trace.seq_len
    after = before + added
    kept = trace.config.layout.keeps_entries
    start = before if kept else 0
    predicted = trace.config.layout.predict(
        SHAPE.cache_parts,
        batch=1,
        before=before,
        after=after,
        max_seq_len=trace.config.max_seq_len,
    )
    rows = np.zeros((1, 1, added, 4), np.float32)
    trace.append(
        Step(
            index=index,
            phase=phase,
            num_tokens_fed=after - start,
            seq_len=after,
            latency_ns=latencies[index] if index < len(latencies) else 1000,
            measured=measured or predicted,
            predicted=predicted,
            token_positions=after - start,
            score_cells=score_cells(start, after - start),
            new_ids=(1,) * added,
            new_pieces=("a",) * added,
            token_id=2 if chooses else None,
        ),
        StepArrays(rows, rows, rows, None),
    )


def other_bytes(used):
    """Measured bytes that no formula gives."""
    return CacheBytes(used=used, reserved=used, peak=used, copied=0)
