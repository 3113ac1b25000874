"""A cache with room for the whole sequence from the start."""

from dataclasses import dataclass

import torch
from torch import Tensor

from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheBytes
from kvviz.sizing.shape import ModelShape

# From here on one query reads K and V faster along the tokens than along a narrow head, on a CPU
# and in the dtypes that it multiplies as they are.
LONG = 1024
TOKENS_INNERMOST = (torch.float32, torch.float64)


@dataclass(frozen=True, slots=True)
class _Step:
    """A step's views, K and V of all layers made at once: a view costs as much as a kernel."""

    live: Tensor
    held: tuple[Tensor, ...]
    new: tuple[Tensor, ...]


class PreallocatedCache:
    """Room for max_seq_len tokens, written in place: [L * 2, B, K, max_seq_len, D], K before V.

    A long one may have its tokens innermost in memory; what ``update`` returns has the usual axes
    either way.
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
        rows, width = (shape.num_layers * 2, batch, shape.num_kv_heads), shape.head_dim
        if max_seq_len >= LONG and device.type == "cpu" and dtype in TOKENS_INNERMOST:
            self._store = torch.empty((*rows, width, max_seq_len), dtype=dtype, device=device).mT
        else:
            self._store = torch.empty((*rows, max_seq_len, width), dtype=dtype, device=device)
        self._step: _Step | None = None

    def update(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Write ``k`` and ``v``, each [B, K, T, D], behind the others; return views in k's dtype.

        Raises InputError where the limit is exceeded.
        """
        step = self._step or self._begin_step(k.shape[2])
        step.new[2 * layer].copy_(k)
        step.new[2 * layer + 1].copy_(v)
        keys, values = step.held[2 * layer], step.held[2 * layer + 1]
        if keys.dtype == k.dtype:
            return keys, values
        return keys.to(k.dtype), values.to(v.dtype)

    def newest(self, count: int) -> Tensor:
        """Return a view of batch row 0's last ``count`` tokens, [L * 2, K, T, D], k before v."""
        live = (self._step or self._begin_step(0)).live
        return live.select(1, 0).narrow(2, live.shape[3] - count, count)

    def finish_step(self) -> CacheBytes:
        """Measure the live slice and the storage, which is the peak as well."""
        live = (self._step or self._begin_step(0)).live
        self.seq_len, self._step = live.shape[3], None
        reserved = self._store.untyped_storage().nbytes()
        return CacheBytes(used=live.nbytes, reserved=reserved, peak=reserved)

    def _begin_step(self, fed: int) -> _Step:
        end = self.seq_len + fed
        if end > self._max_seq_len:
            raise InputError(
                f"The cache has room for {self._max_seq_len:,} tokens and {end:,} were fed: "
                "raise the sequence limit."
            )
        live = self._store.narrow(3, 0, end)
        new = live.narrow(3, self.seq_len, fed)
        self._step = _Step(live, held=live.unbind(), new=new.unbind())
        return self._step
