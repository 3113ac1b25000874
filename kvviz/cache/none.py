"""No cache: each step sees only what it is fed."""

from torch import Tensor

from kvviz.cache.kv_cache import stacked_rows
from kvviz.sizing.layout import CacheBytes


class NoCache:
    """Keeps nothing between steps, so the full prefix must be fed at each."""

    seq_len = 0

    def __init__(self) -> None:
        self._step: list[tuple[Tensor, Tensor]] = []

    def update(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
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
