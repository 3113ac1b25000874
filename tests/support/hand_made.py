"""Runs that were never run: traces with random Q, K and V, and figures one likes."""

from collections.abc import Sequence

import numpy as np

from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.shape import ModelShape
from kvviz.sizing.work import score_cells
from kvviz.trace.config import ModelSpec, RunConfig, Sampling
from kvviz.trace.step import Candidate, Phase, Step, StepArrays
from kvviz.trace.trace import Trace

SENTENCE = [
    "<s>",
    "The",
    " cat",
    " sat",
    " on",
    " the",
    " table",
    " and",
    " said",
    ",",
    " “",
    " Thank",
    " you",
    ",",
    " cat",
    "!",
    " You",
    " are",
    " very",
    " kind",
    ".",
    "”",
    "\\n",
    "<E2>",
    "<82>",
    "Then",
    " it",
    " slept",
    " for",
    " a",
    " long",
    " while",
    ".",
]
PROBABILITIES = (0.46, 0.17, 0.11, 0.08, 0.05, 0.03, 0.02, 0.01)


def piece_of(place: int) -> str:
    """The text of the token at ``place``."""
    return SENTENCE[place % len(SENTENCE)]


def hand_made_trace(
    prompt_tokens: int = 6,
    new_tokens: int = 24,
    steps: int | None = None,
    *,
    shape: ModelShape | None = None,
    layout: CacheLayout | None = None,
    max_seq_len: int | None = None,
    chunk: int = 0,
    sampling: Sampling | None = None,
    batch: int = 1,
    seed: int = 7,
) -> Trace:
    """A trace of a prefill (in chunks of ``chunk``) and decode steps, ``steps`` of them in all."""
    shape = shape or ModelShape(num_layers=4, num_heads=6, num_kv_heads=2, head_dim=32)
    config = RunConfig(
        model=ModelSpec(shape),
        prompt_ids=tuple(i % shape.vocab_size for i in range(prompt_tokens)),
        prompt_text="The cat sat on the",
        layout=layout or CacheLayout(),
        max_new_tokens=new_tokens,
        max_seq_len=max_seq_len or max(64, prompt_tokens + new_tokens),
        batch=batch,
        sampling=sampling or Sampling(),
        prefill_chunk=chunk,
    )
    trace = Trace(config)
    extend(trace, _plan(config)[:steps], seed)
    return trace


def extend(trace: Trace, plan: Sequence[tuple[Phase, int, bool]], seed: int) -> None:
    """Append planned steps of (phase, tokens added, whether it chooses)."""
    rng = np.random.default_rng(seed + len(trace))
    for phase, added, chooses in plan:
        step = _step(trace, phase, added, chooses, rng)
        trace.append(step, _arrays(trace.config, added, step.seq_len, rng))


def _plan(config: RunConfig) -> list[tuple[Phase, int, bool]]:
    total = len(config.prompt_ids)
    chunk = config.prefill_chunk or total
    prefill = [
        (Phase.PREFILL, min(chunk, total - start), start + chunk >= total)
        for start in range(0, total, chunk)
    ]
    return prefill + [(Phase.DECODE, 1, True)] * (config.max_new_tokens - 1)


def _step(trace: Trace, phase: Phase, added: int, chooses: bool, rng: np.random.Generator) -> Step:
    config = trace.config
    before, after = trace.seq_len, trace.seq_len + added
    fed = added if config.layout.keeps_entries else after
    measured = config.layout.predict(
        config.model.shape.cache_parts,
        batch=config.batch,
        before=before,
        after=after,
        max_seq_len=config.max_seq_len,
    )
    vocabulary = config.model.shape.vocab_size
    likely = [
        Candidate((after + i * 5) % vocabulary, piece_of(after + i * 5), p)
        for i, p in enumerate(PROBABILITIES)
    ]
    taken = likely[0] if config.sampling.greedy else likely[2]
    slow = 3_100_000 if phase is Phase.PREFILL else 600_000
    return Step(
        index=len(trace),
        phase=phase,
        num_tokens_fed=fed,
        seq_len=after,
        latency_ns=slow + int(rng.integers(60_000)) + 300 * after,
        measured=measured,
        predicted=measured,
        token_positions=fed,
        score_cells=score_cells(before if config.layout.keeps_entries else 0, fed),
        new_ids=tuple(place % vocabulary for place in range(before, after)),
        new_pieces=tuple(piece_of(place) for place in range(before, after)),
        token_id=taken.token_id if chooses else None,
        piece=piece_of(after) if chooses else "",
        probability=taken.probability if chooses else None,
        candidates=tuple(likely) if chooses else (),
    )


def _arrays(config: RunConfig, added: int, after: int, rng: np.random.Generator) -> StepArrays:
    shape = config.model.shape
    kv = (shape.num_layers, shape.num_kv_heads, added, shape.head_dim)
    q = rng.standard_normal((shape.num_layers, shape.num_heads, added, shape.head_dim), np.float32)
    k = rng.standard_normal(kv, np.float32)
    if after == added:
        k[:, :, 0] *= 2.0  # a first token that stands out, as real ones do
    v = rng.standard_normal(kv, np.float32)
    return StepArrays(q * np.float32(1.5), k, v, rng.standard_normal(shape.vocab_size, np.float32))


def no_cache() -> CacheLayout:
    """The layout that keeps nothing."""
    return CacheLayout(LayoutKind.NONE)


def concat() -> CacheLayout:
    """The layout that grows by joining."""
    return CacheLayout(LayoutKind.CONCAT)
