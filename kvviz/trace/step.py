"""One model call, recorded."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from kvviz.sizing.layout import CacheBytes

Floats = NDArray[np.float32]


class Phase(StrEnum):
    """Prefill: prompt tokens in one pass.  Decode: the newest token alone."""

    PREFILL = "prefill"
    DECODE = "decode"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the likeliest next tokens, with its probability (0 to 1)."""

    token_id: int
    piece: str
    probability: float


@dataclass(frozen=True, slots=True)
class Step:
    """One model call's figures, for batch row 0 where a token is meant.

    ``new_ids`` are the tokens whose keys this step added (one per new row of the grid);
    ``num_tokens_fed`` and ``token_positions`` count what was fed, which is the full prefix
    without a cache.  ``seq_len`` is after the step, ``latency_ns`` the model call and the choice.
    ``token_id`` is the token chosen, None for a prefill chunk that is not the last;
    ``probability`` is its probability under the distribution it was chosen from.
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

    @property
    def first_row(self) -> int:
        """The first grid row this step added."""
        return self.seq_len - len(self.new_ids)


@dataclass(frozen=True, slots=True)
class StepArrays:
    """What attention read in one step, batch row 0, float32, read-only.

    q: [L, H, T, D] after norm and RoPE; k, v: [L, K, T, D] as read back from the cache; T is the
    number of new rows.  logits: [V] of the last position, None where no token was chosen.
    """

    q: Floats
    k: Floats
    v: Floats
    logits: Floats | None
