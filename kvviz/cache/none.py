"""No cache: each step sees only what it is fed."""

from torch import Tensor

from kvviz.sizing.layout import CacheBytes


class NoCache:
    """Keeps nothing, so the full prefix must be fed at each step."""

    seq_len = 0

    def update(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Return ``k`` and ``v``, each [B, K, T, D], as they came."""
        return k, v

    def finish_step(self) -> CacheBytes:
        """Return zeros: no bytes are kept."""
        return CacheBytes()
