"""One model call, recorded."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kvviz.sizing.blocks import BlockEvent, PrefixMatch
from kvviz.sizing.layout import CacheBytes

Floats = NDArray[np.float32]


class Phase(StrEnum):
    """Prefill: prompt tokens in one pass.  Decode: the newest token alone."""

    PREFILL = "prefill"
    DECODE = "decode"


class Candidate(NamedTuple):
    """One of the likeliest next tokens, with its probability (0 to 1)."""

    token_id: int
    piece: str
    probability: float


class RowStep(NamedTuple):
    """What a further row of an unequal batch was fed in a step, and the token it chose."""

    new_ids: tuple[int, ...]
    token_id: int | None


@dataclass(frozen=True, slots=True)
class Step:
    """One model call's figures, for batch row 0 where a token is meant.

    ``new_ids`` are the tokens whose keys this step added (one per new row of the grid);
    ``num_tokens_fed`` and ``token_positions`` count what was fed, which is the full prefix
    without a cache.  ``seq_len`` is after the step, ``latency_ns`` the model call and the choice.
    ``token_id`` is the token chosen, None for a prefill chunk that is not the last;
    ``probability`` is its probability under the distribution it was chosen from.

    ``more_rows`` are rows 1, 2 ... where they have prompts of their own.  ``block_events`` tell, in
    order, what happened to a pool's blocks; ``prefix`` what the prompt found there, in the first
    step of a run that shares a pool: its tokens are the first of ``new_ids`` and were not fed.
    ``kernel_gap`` is the blockwise kernel's largest absolute difference from eager attention, over
    all layers, None for other kernels.
    """

    index: int
    phase: Phase
    num_tokens_fed: int
    seq_len: int
    latency_ns: int
    measured: CacheBytes
    predicted: CacheBytes
    token_positions: int
    score_cells: int
    new_ids: tuple[int, ...]
    new_pieces: tuple[str, ...]
    token_id: int | None = None
    piece: str = ""
    probability: float | None = None
    candidates: tuple[Candidate, ...] = ()
    more_rows: tuple[RowStep, ...] = ()
    block_events: tuple[BlockEvent, ...] = ()
    prefix: PrefixMatch | None = None
    kernel_gap: float | None = None

    @property
    def num_tokens_reused(self) -> int:
        """How many of ``new_ids`` were found in a pool and not computed."""
        return self.prefix.num_tokens if self.prefix else 0

    @property
    def first_row(self) -> int:
        """The first grid row this step added."""
        return self.seq_len - len(self.new_ids)


class StepArrays(NamedTuple):
    """What attention read in one step, batch row 0, float32, read-only.

    q: [L, H, T, D] after norm and RoPE; k, v: [L, K, T, D] as read back from the cache; T is the
    number of new rows; rows found in a pool have q of zeros, it was never computed.  logits: [V] of
    the last position, None where no token was chosen.  errors: [L * 2, tokens] of what a quantized
    cache wrote as codes in this step, k before v: the length of what was lost by a token, relative
    to the token's own; None for other caches.  out: [L, H, T, D], what each head passed on, NaN for
    rows found in a pool; None where it was not recorded.
    """

    q: Floats
    k: Floats
    v: Floats
    logits: Floats | None
    errors: Floats | None = None
    out: Floats | None = None
