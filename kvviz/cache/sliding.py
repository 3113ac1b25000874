"""A cache that keeps a window of the newest tokens, and the first ones if asked to."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kvviz.cache.kv_cache import Dtypes, Pair, read_as, stacked, storage_bytes
from kvviz.cache.padding import live_tokens
from kvviz.sizing.layout import CacheBytes, CacheLayout
from kvviz.sizing.ring import ring_positions, ring_slots
from kvviz.sizing.shape import ModelShape


@dataclass(frozen=True, slots=True)
class _Step:
    """What is alike for all layers of a step."""

    fed: int
    held: int  # slots that any row had filled before it
    writes: tuple[tuple[slice, Tensor, Tensor], ...]  # rows, their slots, which of T go there
    after: int  # slots that any row has filled behind it
    new: list[Pair]  # batch row 0's new tokens as they are stored, for the record


class SlidingCache:
    """A ring of ``window`` slots behind ``sinks`` fixed ones: K and V, each [L, B, K, slots, D].

    ``seq_len`` counts tokens seen, so positions go on where they were; held are at most the slots.
    A token's slot is written over by the token ``window`` later, which no longer sees it.
    """

    def __init__(
        self,
        layout: CacheLayout,
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
        self._layout, self._batch, self._device = layout, batch, device
        slots = min(layout.most_held, max_seq_len)
        size = (shape.num_layers, batch, shape.num_kv_heads, slots, shape.head_dim)
        self._stores = [torch.zeros(size, dtype=dtype, device=device) for dtype in dtypes]
        self._joined = 0
        self._step: _Step | None = None

    @property
    def tokens_held(self) -> int:
        """Tokens of the longest sequence that are still there."""
        return self._layout.held(self.seq_len)

    def mask(self, fed: int, device: torch.device) -> Tensor | None:
        """Return which keys are in each query's window or are sinks, [B or 1, 1, T, S]."""
        layout, end = self._layout, self.seq_len + fed
        lengths = live_tokens(self.pads, self._batch, self.seq_len)
        if not self.pads and (fed == 1 or end <= layout.window):
            return None
        rows = lengths if self.pads else lengths[:1]
        pads = torch.tensor(self.pads or (0,), device=device)[:, None]
        queries = torch.arange(self.seq_len, end, device=device) - pads
        if fed == 1:
            keys = self._stored(live_tokens(self.pads, self._batch, end), device)
        else:
            # The stored ones as they were before, then the step's own.
            keys = torch.cat((self._stored(rows, device), queries), dim=1)
        keys, queries = keys[:, None, :], queries[:, :, None]
        near = (keys > queries - layout.window) | (keys < layout.sinks)
        seen = (keys >= 0) & (keys <= queries) & near
        return (seen | (keys == queries))[:, None]

    def update(self, layer: int, k: Tensor, v: Tensor) -> Pair:
        """Write ``k`` and ``v``, each [B, K, T, D], over what left the window; return what is seen.

        One query reads the ring in place, in the ring's order; several read it as it was, and
        their own keys behind it.
        """
        step = self._step or self._begin_step(k.shape[2])
        new = tuple(side.to(store.dtype) for side, store in zip((k, v), self._stores, strict=True))
        step.new.append((new[0][:1], new[1][:1]))
        rings = [store[layer] for store in self._stores]
        read = (
            rings
            if step.fed == 1
            else [
                torch.cat((ring[:, :, : step.held], side), dim=2) if step.held else side
                for ring, side in zip(rings, new, strict=True)
            ]
        )
        if step.held and step.fed > 1:
            self._joined = max(self._joined, storage_bytes(read))
        for ring, side in zip(rings, new, strict=True):
            _write(ring, side, step)
        if step.fed == 1:
            read = [ring[:, :, : step.after] for ring in rings]
        return read_as(k.dtype, *read)

    def newest(self, count: int) -> Tensor:
        """Return batch row 0's last ``count`` tokens, [L * 2, K, T, D], k before v."""
        step = self._step or self._begin_step(0)
        return stacked([side[0, :, step.fed - count :] for pair in step.new for side in pair])

    def finish_step(self) -> CacheBytes:
        """Measure the ring, and what several queries read besides."""
        step = self._step or self._begin_step(0)
        token = sum(store[:, 0, :, :1].nbytes for store in self._stores)
        read = self._batch * step.held * token if self._joined else 0
        self.seq_len, self._step = self.seq_len + step.fed, None
        lengths = live_tokens(self.pads, self._batch, self.seq_len)
        reserved, joined = storage_bytes(self._stores), self._joined
        self._joined = 0
        return CacheBytes(
            used=sum(map(self._layout.held, lengths)) * token,
            reserved=reserved,
            peak=reserved + joined,
            gathered=read,
        )

    def release(self) -> None:
        """Let go of the ring."""
        self._stores, self._step = [], None

    def _stored(self, lengths: Sequence[int], device: torch.device) -> Tensor:
        """Return the position in each slot that any row has filled, [B, S], -1 for none."""
        held = max(map(self._layout.held, lengths))
        rows = [ring_positions(self._layout, length, held) for length in lengths]
        return torch.tensor(rows, dtype=torch.int64, device=device).view(len(lengths), held)

    def _begin_step(self, fed: int) -> _Step:
        old = live_tokens(self.pads, self._batch, self.seq_len)
        new = live_tokens(self.pads, self._batch, self.seq_len + fed)
        groups = [slice(row, row + 1) for row in range(self._batch)] if self.pads else [slice(None)]
        writes = []
        for rows, before, after in zip(groups, old, new, strict=False):
            slots, first = ring_slots(self._layout, before, after)
            columns = [fed - (after - before) + offset for offset in first]
            writes.append((rows, self._index(slots), self._index(columns)))
        self._step = _Step(
            fed=fed,
            held=max(map(self._layout.held, old)),
            writes=tuple(writes),
            after=max(map(self._layout.held, new)),
            new=[],
        )
        return self._step

    def _index(self, numbers: Sequence[int]) -> Tensor:
        return torch.tensor(numbers, dtype=torch.int64, device=self._device)


def _write(ring: Tensor, new: Tensor, step: _Step) -> None:
    if ring.dtype.itemsize == 1:  # not every kernel knows every dtype of eight bits
        ring, new = ring.view(torch.uint8), new.view(torch.uint8)
    for rows, slots, columns in step.writes:
        ring[rows].index_copy_(2, slots, new[rows].index_select(2, columns))
