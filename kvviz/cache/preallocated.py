"""A cache with room for the whole sequence from the start."""

from dataclasses import dataclass

import torch
from torch import Tensor

from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheBytes
from kvviz.sizing.shape import ModelShape

# One query's scores read K along the tokens: on the CPU twice as fast as along a narrow head.
TOKENS_INNERMOST = (torch.float32, torch.float64)


class PreallocatedCache:
    """Room for max_seq_len tokens, written in place: K and V, each [L, B, K, max_seq_len, D].

    What a CPU multiplies as it is stored (float32, float64) has K's tokens innermost in memory;
    what ``update`` returns has the usual axes either way.
    """

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
        self._max_seq_len = max_seq_len
        rows, width = (2, shape.num_layers, batch, shape.num_kv_heads), shape.head_dim
        self._store = torch.empty((*rows, max_seq_len * width), dtype=dtype, device=device)
        if device.type == "cpu" and dtype in TOKENS_INNERMOST:
            self._keys = self._store[0].view(*rows[1:], width, max_seq_len).mT
        else:
            self._keys = self._store[0].view(*rows[1:], max_seq_len, width)
        self._values = self._store[1].view(*rows[1:], max_seq_len, width)
        self._step: _Step | None = None

    def update(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Write ``k`` and ``v``, each [B, K, T, D], behind the others; return views in k's dtype.

        Raises InputError where the limit is exceeded.
        """
        step = self._step or self._begin_step(k.shape[2])
        step.new_keys[layer].copy_(k)
        step.new_values[layer].copy_(v)
        keys, values = step.keys[layer], step.values[layer]
        if keys.dtype == k.dtype:
            return keys, values
        return keys.to(k.dtype), values.to(v.dtype)

    def finish_step(self) -> CacheBytes:
        """Measure the live slices and the storage, which is the peak as well."""
        step = self._step or self._begin_step(0)
        self.seq_len, self._step = step.seq_len, None
        reserved = self._store.untyped_storage().nbytes()
        return CacheBytes(used=step.live_bytes, reserved=reserved, peak=reserved)

    def _begin_step(self, fed: int) -> "_Step":
        end = self.seq_len + fed
        if end > self._max_seq_len:
            raise InputError(
                f"The cache has room for {self._max_seq_len:,} tokens and {end:,} were fed: "
                "raise the sequence limit."
            )
        keys, values = self._keys.narrow(3, 0, end), self._values.narrow(3, 0, end)
        self._step = _Step(
            seq_len=end,
            live_bytes=keys.nbytes + values.nbytes,
            keys=keys.unbind(),
            values=values.unbind(),
            new_keys=keys.narrow(3, self.seq_len, fed).unbind(),
            new_values=values.narrow(3, self.seq_len, fed).unbind(),
        )
        return self._step


@dataclass(frozen=True, slots=True)
class _Step:
    """A step's views, made for all layers at once: a view costs as much as a small kernel."""

    seq_len: int
    live_bytes: int
    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]
    new_keys: tuple[Tensor, ...]
    new_values: tuple[Tensor, ...]
