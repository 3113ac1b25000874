"""A cache with room for the whole sequence from the start."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kvviz.cache.kv_cache import Dtypes, Pair, read_as, stacked, storage_bytes
from kvviz.cache.padding import live_tokens, padded_mask
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

    live: tuple[Tensor, ...]  # a storage's live slice each
    held: tuple[Tensor, ...]
    new: tuple[Tensor, ...]
    seq_len: int


class PreallocatedCache:
    """Room for max_seq_len tokens, written in place: [L * 2, B, K, max_seq_len, D], K before V.

    If K and V are stored in different dtypes, each has a storage [L, B, K, max_seq_len, D].  A long
    one may have its tokens innermost in memory; what ``update`` returns has the usual axes either
    way.
    """

    def __init__(
        self,
        shape: ModelShape,
        *,
        batch: int,
        max_seq_len: int,
        dtypes: Dtypes,
        device: torch.device,
        pads: Sequence[int] = (),
    ) -> None:
        self.seq_len = 0
        self.pads = pads
        self._batch, self._max_seq_len = batch, max_seq_len
        together = dtypes.k == dtypes.v
        size = (batch, shape.num_kv_heads, max_seq_len, shape.head_dim)
        self._stores = tuple(
            _empty((shape.num_layers * (2 if together else 1), *size), dtype, device)
            for dtype in (dtypes[:1] if together else dtypes)
        )
        self._reserved = storage_bytes(self._stores)  # it neither grows nor shrinks: read once
        self._step: _Step | None = None

    def mask(self, fed: int, device: torch.device) -> Tensor | None:
        """Return what hides padding, [B, 1, T, S]."""
        return padded_mask(self.pads, fed, self.seq_len + fed, device)

    def update(self, layer: int, k: Tensor, v: Tensor) -> Pair:
        """Write ``k`` and ``v``, each [B, K, T, D], behind the others; return views in k's dtype.

        Raises InputError where the limit is exceeded.
        """
        step = self._step or self._begin_step(k.shape[2])
        step.new[2 * layer].copy_(k)
        step.new[2 * layer + 1].copy_(v)
        return read_as(k.dtype, step.held[2 * layer], step.held[2 * layer + 1])

    def newest(self, count: int) -> Tensor:
        """Return batch row 0's last ``count`` tokens, [L * 2, K, T, D], k before v."""
        step = self._step or self._begin_step(0)
        if len(step.live) == 1:
            return step.live[0].select(1, 0).narrow(2, step.seq_len - count, count)
        return stacked([held[0].narrow(1, step.seq_len - count, count) for held in step.held])

    def finish_step(self) -> CacheBytes:
        """Measure the live slice and the storage, which is the peak as well."""
        step = self._step or self._begin_step(0)
        self.seq_len, self._step = step.seq_len, None
        used = sum(live.nbytes for live in step.live)
        if self.pads and used:
            places = self._batch * step.seq_len
            used = used // places * sum(live_tokens(self.pads, self._batch, step.seq_len))
        return CacheBytes(used, self._reserved, peak=self._reserved)

    def release(self) -> None:
        """Let go of the storage."""
        self._stores, self._step, self._reserved = (), None, 0

    def _begin_step(self, fed: int) -> _Step:
        end = self.seq_len + fed
        if end > self._max_seq_len:
            raise InputError(
                f"The cache has room for {self._max_seq_len:,} tokens and {end:,} were fed: "
                "raise the sequence limit."
            )
        live = tuple(store.narrow(3, 0, end) for store in self._stores)
        new = tuple(part.narrow(3, self.seq_len, fed) for part in live)
        self._step = _Step(live, _k_before_v(live), _k_before_v(new), end)
        return self._step


def _k_before_v(stores: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Return K and V [B, K, T, D] of each layer in turn."""
    if len(stores) == 1:
        return stores[0].unbind()
    return tuple(part for pair in zip(*stores, strict=True) for part in pair)


def _empty(size: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    *rows, tokens, width = size
    if tokens >= LONG and device.type == "cpu" and dtype in TOKENS_INNERMOST:
        return torch.empty((*rows, width, tokens), dtype=dtype, device=device).mT
    return torch.empty(size, dtype=dtype, device=device)
