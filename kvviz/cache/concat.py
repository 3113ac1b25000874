"""A cache that grows by concatenation, the tutorial's way."""

from collections.abc import Sequence

import torch
from torch import Tensor

from kvviz.cache.kv_cache import Dtypes, Pair, read_as, stacked_rows, storage_bytes
from kvviz.cache.padding import live_tokens, padded_mask
from kvviz.sizing.layout import CacheBytes


class ConcatCache:
    """One (k, v) per layer, each [B, K, S, D], replaced by a longer copy at each step.

    The old tensors live until ``finish_step``, as they do in a loop that only rebinds its cache
    once the forward has returned: that is the peak.
    """

    def __init__(self, dtypes: Dtypes, pads: Sequence[int] = ()) -> None:
        self.seq_len = 0
        self.pads = pads
        self._dtypes = dtypes
        self._held: list[Pair] = []
        self._replaced: list[Tensor] = []

    def mask(self, fed: int, device: torch.device) -> Tensor | None:
        """Return what hides padding, [B, 1, T, S]."""
        return padded_mask(self.pads, fed, self.seq_len + fed, device)

    def update(self, layer: int, k: Tensor, v: Tensor) -> Pair:
        """Join ``k`` and ``v``, each [B, K, T, D], to the layer's; return both in k's dtype."""
        if layer == len(self._held):
            self._held.append((_own(k, self._dtypes.k), _own(v, self._dtypes.v)))
        else:
            old = self._held[layer]
            self._replaced.extend(old)
            self._held[layer] = _joined(old[0], k), _joined(old[1], v)
        return read_as(k.dtype, *self._held[layer])

    def newest(self, count: int) -> Tensor:
        """Return batch row 0's last ``count`` tokens, [L * 2, K, T, D], k before v."""
        return stacked_rows(self._held, count)

    def finish_step(self) -> CacheBytes:
        """Measure the storages, then drop the old ones."""
        tensors = [tensor for pair in self._held for tensor in pair]
        old, reserved = storage_bytes(self._replaced), storage_bytes(tensors)
        self._replaced.clear()
        if not tensors:
            return CacheBytes()
        batch, _, self.seq_len, _ = tensors[0].shape
        token = sum(tensor[0, :, 0].nbytes for tensor in tensors)
        used = sum(live_tokens(self.pads, batch, self.seq_len)) * token
        return CacheBytes(used, reserved, peak=old + reserved, copied=old)

    def release(self) -> None:
        """Let go of every tensor."""
        self._held.clear()
        self._replaced.clear()


def _joined(old: Tensor, new: Tensor) -> Tensor:
    return torch.cat((old, new.to(old.dtype)), dim=2)


def _own(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    # A view would keep the whole projection alive and share its storage.
    return tensor.to(dtype, copy=True, memory_format=torch.contiguous_format)
