"""A cache with room for the whole sequence from the start."""

import torch
from torch import Tensor

from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheBytes
from kvviz.sizing.shape import ModelShape


class PreallocatedCache:
    """One tensor [L, 2, B, K, max_seq_len, D], written in place at the next position."""

    def __init__(
        self,
        shape: ModelShape,
        *,
        batch: int,
        max_seq_len: int,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        self.seq_len = 0
        self._new = 0
        self._max_seq_len = max_seq_len
        self._store = torch.empty(
            (shape.num_layers, 2, batch, shape.num_kv_heads, max_seq_len, shape.head_dim),
            dtype=dtype,
            device=device,
        )
        # Taken apart once, because a view costs as much as a small kernel.
        self._layers = [(layer[0], layer[1]) for layer in self._store]

    def update(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Write ``k`` and ``v``, each [B, K, T, D], behind the others; return views in k's dtype.

        Raises InputError where the limit is exceeded.
        """
        self._new = k.shape[2]
        end = self.seq_len + self._new
        if end > self._max_seq_len:
            raise InputError(
                f"The cache has room for {self._max_seq_len:,} tokens and {end:,} were fed: "
                "raise the sequence limit."
            )
        keys, values = self._layers[layer]
        keys.narrow(2, self.seq_len, self._new).copy_(k)
        values.narrow(2, self.seq_len, self._new).copy_(v)
        return keys.narrow(2, 0, end).to(k.dtype), values.narrow(2, 0, end).to(v.dtype)

    def finish_step(self) -> CacheBytes:
        """Measure the live slice and the storage, which is the peak as well."""
        self.seq_len += self._new
        self._new = 0
        reserved = self._store.untyped_storage().nbytes()
        used = self._store.narrow(4, 0, self.seq_len).nbytes
        return CacheBytes(used=used, reserved=reserved, peak=reserved)
