"""No cache: each step sees only what it is fed."""

from collections.abc import Sequence

import torch
from torch import Tensor

from kvviz.cache.kv_cache import Pair, stacked_rows
from kvviz.cache.padding import padded_mask
from kvviz.sizing.layout import CacheBytes


class NoCache:
    """Keeps nothing between steps, so the full prefix must be fed at each."""

    seq_len = 0

    def __init__(self, pads: Sequence[int] = ()) -> None:
        self.pads = pads
        self._step: list[Pair] = []

    def mask(self, fed: int, device: torch.device) -> Tensor | None:
        """Return what hides padding, [B, 1, T, T]."""
        return padded_mask(self.pads, fed, fed, device)

    def update(self, layer: int, k: Tensor, v: Tensor) -> Pair:
        """Return ``k`` and ``v``, each [B, K, T, D], as they came."""
        self._step.append((k, v))
        return k, v

    def newest(self, count: int) -> Tensor:
        """Return batch row 0's last ``count`` tokens, [L * 2, K, T, D], k before v."""
        return stacked_rows(self._step, count)

    def finish_step(self) -> CacheBytes:
        """Let go of the step; return zeros: no bytes are kept."""
        self._step.clear()
        return CacheBytes()

    def release(self) -> None:
        """Let go of a step that was not finished."""
        self._step.clear()
