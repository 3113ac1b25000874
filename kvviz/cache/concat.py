"""A cache that grows by concatenation, the tutorial's way."""

import torch
from torch import Tensor

from kvviz.cache.kv_cache import stacked_rows
from kvviz.sizing.layout import CacheBytes

Pair = tuple[Tensor, Tensor]


class ConcatCache:
    """One (k, v) per layer, each [B, K, S, D], replaced by a longer copy at each step.

    The old tensors live until ``finish_step``, as they do in a loop that only rebinds its cache
    once the forward has returned: that is the peak.
    """

    def __init__(self, dtype: torch.dtype) -> None:
        self.seq_len = 0
        self._dtype = dtype
        self._held: list[Pair] = []
        self._replaced: list[Pair] = []

    def update(self, layer: int, k: Tensor, v: Tensor) -> Pair:
        """Join ``k`` and ``v``, each [B, K, T, D], to the layer's; return both in k's dtype."""
        if layer == len(self._held):
            self._held.append((self._own(k), self._own(v)))
        else:
            old = self._held[layer]
            self._replaced.append(old)
            self._held[layer] = self._joined(old[0], k), self._joined(old[1], v)
        keys, values = self._held[layer]
        return keys.to(k.dtype), values.to(v.dtype)

    def newest(self, count: int) -> Tensor:
        """Return batch row 0's last ``count`` tokens, [L * 2, K, T, D], k before v."""
        return stacked_rows(self._held, count)

    def finish_step(self) -> CacheBytes:
        """Measure the storages, then drop the old ones."""
        old, reserved = storage_bytes(self._replaced), storage_bytes(self._held)
        self._replaced.clear()
        self.seq_len = self._held[0][0].shape[2] if self._held else 0
        return CacheBytes(
            used=sum(k.nbytes + v.nbytes for k, v in self._held),
            reserved=reserved,
            peak=old + reserved,
            copied=old,
        )

    def _joined(self, old: Tensor, new: Tensor) -> Tensor:
        return torch.cat((old, new.to(self._dtype)), dim=2)

    def _own(self, tensor: Tensor) -> Tensor:
        # A view would keep the whole projection alive and share its storage.
        return tensor.to(self._dtype, copy=True, memory_format=torch.contiguous_format)


def storage_bytes(pairs: list[Pair]) -> int:
    """Bytes of the storages behind the pairs."""
    return sum(k.untyped_storage().nbytes() + v.untyped_storage().nbytes() for k, v in pairs)
