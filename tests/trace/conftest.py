"""Traces made by hand, without a model: what a run of the engine could have recorded."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.shape import ModelShape
from kvviz.sizing.work import score_cells
from kvviz.trace.config import ModelSpec, RunConfig
from kvviz.trace.step import Candidate, Phase, Step, StepArrays
from kvviz.trace.trace import Trace

VOCAB_SIZE = 50


@pytest.fixture(scope="session")
def make_trace() -> Callable[..., Trace]:
    return hand_made


def hand_made(
    prompt=(5, 6, 7),
    chosen=(11, 12, 13),
    chunks=None,
    layout=LayoutKind.PREALLOCATED,
    prompt_text="abc",
    latencies=None,
    pieces=lambda token_id: f"<{token_id}>",
    logits_seed=0,
    then=(),
    more=(),
    **fields,
) -> Trace:
    """Prefill in ``chunks`` (lengths), decode to ``chosen``; then a second prefill and ``more``."""
    shape = ModelShape(num_layers=3, num_heads=4, num_kv_heads=2, head_dim=8, vocab_size=VOCAB_SIZE)
    config = RunConfig(
        model=fields.pop("model", ModelSpec(shape)),
        prompt_ids=tuple(prompt),
        prompt_text=prompt_text,
        layout=CacheLayout(layout),
        max_new_tokens=len(chosen),
        max_seq_len=fields.pop("max_seq_len", 32),
        **fields,
    )
    trace = Trace(config)
    rng = np.random.default_rng(logits_seed)
    plan = _plan(tuple(prompt), tuple(chosen), chunks or (len(prompt),), tuple(then), tuple(more))
    for phase, new_ids, token_id in plan:
        latency = (latencies or {}).get(len(trace), 1000 + len(trace))
        _append(trace, phase, new_ids, token_id, latency, pieces, rng)
    return trace


def _plan(prompt, chosen, chunks, then, more):
    start = 0
    for length in chunks:
        last = start + length == len(prompt)
        yield Phase.PREFILL, prompt[start : start + length], chosen[0] if last else None
        start += length
    for fed, token_id in pairwise(chosen):
        yield Phase.DECODE, (fed,), token_id
    if more:
        yield Phase.PREFILL, (chosen[-1], *then), more[0]
        for fed, token_id in pairwise(more):
            yield Phase.DECODE, (fed,), token_id


def _append(trace, phase, new_ids, token_id, latency, pieces, rng):
    config, before = trace.config, trace.seq_len
    shape, after = config.model.shape, before + len(new_ids)
    start = before if config.layout.keeps_entries else 0
    predicted = config.layout.predict(
        shape.cache_parts,
        batch=config.batch,
        before=before,
        after=after,
        max_seq_len=config.max_seq_len,
    )
    rows, layers = len(new_ids), shape.num_layers
    logits = rng.standard_normal(shape.vocab_size).astype(np.float32)
    chose = token_id is not None
    trace.append(
        Step(
            index=len(trace),
            phase=phase,
            num_tokens_fed=after - start,
            seq_len=after,
            latency_ns=latency,
            measured=predicted,
            predicted=predicted,
            token_positions=after - start,
            score_cells=score_cells(start, after - start),
            new_ids=new_ids,
            new_pieces=tuple(pieces(i) for i in new_ids),
            token_id=token_id,
            piece=pieces(token_id) if chose else "",
            probability=0.1 + 0.2 if chose else None,
            candidates=(
                (Candidate(token_id, pieces(token_id), 0.7), Candidate(1, pieces(1), 1 / 3))
                if chose
                else ()
            ),
        ),
        StepArrays(
            rng.standard_normal((layers, shape.num_heads, rows, shape.head_dim), np.float32),
            rng.standard_normal((layers, shape.num_kv_heads, rows, shape.head_dim), np.float32),
            rng.standard_normal((layers, shape.num_kv_heads, rows, shape.head_dim), np.float32),
            logits if chose else None,
            out=rng.standard_normal((layers, shape.num_heads, rows, shape.head_dim), np.float32),
        ),
    )
