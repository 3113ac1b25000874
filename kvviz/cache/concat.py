"""A cache that grows by concatenation, the tutorial's way."""

import torch
from torch import Tensor

from kvviz.sizing.layout import CacheBytes

Pair = tuple[Tensor, Tensor]


class ConcatCache:
    """One (k, v) per layer, each [B, K, S, D], replaced by a longer copy at each step.

    The old tensors live until ``finish_step``, as they do in a loop that only rebinds its cache
    once the forward has returned: that is the peak.
    """

    def __init__(self, num_layers: int, dtype: torch.dtype) -> None:
        self.seq_len = 0
        self._dtype = dtype
        self._held: list[Pair | None] = [None] * num_layers
        self._replaced: list[Pair] = []

    def update(self, layer: int, k: Tensor, v: Tensor) -> Pair:
        """Join ``k`` and ``v``, each [B, K, T, D], to the layer's; return both in k's dtype."""
        held = self._held[layer]
        if held is None:
            new = self._own(k), self._own(v)
        else:
            self._replaced.append(held)
            new = (
                torch.cat((held[0], k.to(self._dtype)), dim=2),
                torch.cat((held[1], v.to(self._dtype)), dim=2),
            )
        self._held[layer] = new
        return new[0].to(k.dtype), new[1].to(v.dtype)

    def finish_step(self) -> CacheBytes:
        """Measure the storages, then drop the old ones."""
        held = [pair for pair in self._held if pair is not None]
        old = storage_bytes(self._replaced)
        reserved = storage_bytes(held)
        self._replaced.clear()
        self.seq_len = held[0][0].shape[2] if held else 0
        return CacheBytes(
            used=sum(k.nbytes + v.nbytes for k, v in held),
            reserved=reserved,
            peak=old + reserved,
            copied=old,
        )

    def _own(self, tensor: Tensor) -> Tensor:
        # A view would keep the whole projection alive and share its storage.
        return tensor.to(self._dtype, copy=True, memory_format=torch.contiguous_format)


def storage_bytes(pairs: list[Pair]) -> int:
    """Bytes of the storages behind the pairs."""
    return sum(k.untyped_storage().nbytes() + v.untyped_storage().nbytes() for k, v in pairs)
