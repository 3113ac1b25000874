"""A cache of fixed-size blocks, found through a table for each sequence."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kvviz.cache.block_storage import Gathering, Slots
from kvviz.cache.block_table import BlockTable
from kvviz.cache.kv_cache import Pair, read_as, stacked, storage_bytes
from kvviz.cache.padding import live_tokens
from kvviz.cache.paged_store import PagedStore
from kvviz.cache.row_plan import RowPlan
from kvviz.sizing.blocks import PrefixMatch, scratch_blocks
from kvviz.sizing.layout import CacheBytes


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the blocks of all rows are read, K and V: right until a table changes."""

    scratch: Pair  # as much of it as is filled
    gathering: tuple[Gathering, Gathering]


@dataclass(frozen=True, slots=True)
class _Step:
    """What is alike for all layers of a step."""

    seq_len: int
    slots: Slots  # of the new tokens
    real: Tensor | None  # which of the B x T fed rows are tokens, None for all
    reading: _Reading
    held: Pair  # what attention reads of the scratch


class PagedCache:
    """Block tables into a store; attention reads one layer at a time, gathered into a scratch."""

    def __init__(self, store: PagedStore, batch: int, pads: Sequence[int] = ()) -> None:
        self.seq_len = 0
        self.pads = pads
        self.store = store
        self.tables = [BlockTable(store.pool, store.block_size, row) for row in range(batch)]
        self._scratch: Pair | None = None
        self._copied = 0
        self._reading: _Reading | None = None
        self._step: _Step | None = None

    def reuse(self, ids: Sequence[int]) -> PrefixMatch:
        """Begin with the blocks of a prompt's prefix that the store still has, in every row.

        Rows must be copies of one prompt.  Those tokens then count as seen.
        """
        matches = [table.reuse(ids) for table in self.tables]
        self.seq_len = matches[0].num_tokens
        return matches[0]

    def seal(self, rows: Sequence[Sequence[int]]) -> None:
        """Let full blocks be found by their tokens; ``rows`` are each row's tokens so far."""
        for table, ids in zip(self.tables, rows, strict=True):
            table.seal(ids)

    def fork(self) -> "PagedCache":
        """Return a cache that shares every block, each row's until it writes into one."""
        other = PagedCache(self.store, len(self.tables), self.pads)
        other.tables = [table.fork(row) for row, table in enumerate(self.tables)]
        other.seq_len = self.seq_len
        return other

    def mask(self, fed: int, device: torch.device) -> Tensor | None:
        """Return what hides the ends of shorter rows, [B, 1, T, S]; rows begin together here."""
        if not self.pads:
            return None
        end = self.seq_len + fed
        keys = torch.arange(
            self._read(live_tokens(self.pads, len(self.tables), end)), device=device
        )
        queries = torch.arange(self.seq_len, end, device=device)
        positions = queries - torch.tensor(self.pads, device=device)[:, None]
        return (keys <= positions.clamp_min(0)[:, :, None])[:, None]

    def update(self, layer: int, k: Tensor, v: Tensor) -> Pair:
        """Write ``k`` and ``v``, each [B, K, T, D], into blocks; return all, gathered.

        Raises InputError, before anything is written, where the pool has too few blocks.
        """
        step = self._step or self._begin_step(k.shape[2])
        sides = (self.store.keys[layer], self.store.values[layer])
        for side, new, gathering in zip(sides, (k, v), step.reading.gathering, strict=True):
            rows = new.transpose(1, 2).reshape(-1, new.size(1) * new.size(3))
            side.write(step.slots, rows if step.real is None else rows[step.real])
            side.gather(gathering)
        return read_as(k.dtype, *step.held)

    def newest(self, count: int) -> Tensor:
        """Return batch row 0's last ``count`` tokens, [L * 2, K, T, D], k before v."""
        end = self.tables[0].num_tokens
        slots = _slots(self.tables[0].slots(end - count, end), self.store.device)
        pairs = zip(self.store.keys, self.store.values, strict=True)
        return stacked([side.read(slots) for pair in pairs for side in pair])

    def finish_step(self) -> CacheBytes:
        """Measure the blocks, the pool and the scratch."""
        step = self._step or self._begin_step(0)
        self.seq_len, self._step = step.seq_len, None
        store, block = self.store, self.store.block_bytes
        reserved = sum(len(table.blocks) for table in self.tables) * block
        used = sum(table.num_tokens for table in self.tables) * (block // store.block_size)
        copied, self._copied = self._copied * block, 0
        return CacheBytes(
            used,
            reserved,
            peak=reserved + storage_bytes(step.reading.scratch),
            copied=copied,
            pool=store.nbytes,
            gathered=sum(side.nbytes for side in step.reading.scratch) * store.num_layers,
        )

    def release(self) -> None:
        """Give every block back to the pool, and the scratch to the machine."""
        for table in self.tables:
            table.release()
        self._scratch = self._reading = self._step = None

    def _begin_step(self, fed: int) -> _Step:
        device, before = self.store.device, self.seq_len
        after = before + fed
        slots, real = self._append(before, after)
        reading = self._reading or self._plan_reading()
        held = self._read([table.num_tokens for table in self.tables])
        k, v = (gathering.held.narrow(2, 0, held) for gathering in reading.gathering)
        self._step = _Step(
            seq_len=after,
            slots=_slots(slots, device),
            real=None if len(real) == len(self.tables) * fed else _index(real, device),
            reading=reading,
            held=(k, v),
        )
        return self._step

    def _append(self, before: int, after: int) -> tuple[list[int], list[int]]:
        """Make room in every table; return slots, and the rows of B x T that go there."""
        batch = len(self.tables)
        slots: list[int] = []
        real: list[int] = []
        old, new = live_tokens(self.pads, batch, before), live_tokens(self.pads, batch, after)
        for row, table in enumerate(self.tables):
            held = len(table.blocks)
            copied = table.append(new[row] - old[row])
            if copied is not None or len(table.blocks) > held:
                self._reading = None
            if copied is not None:
                self.store.copy_block(*copied)
                self._copied += 1
            slots += table.slots(old[row], new[row])
            end = (row + 1) * (after - before)
            real += range(end - (new[row] - old[row]), end)
        return slots, real

    def _plan_reading(self) -> _Reading:
        """Plan how each row is read, short ones filled up with blocks that a mask hides."""
        count = max(len(table.blocks) for table in self.tables)
        rows = [table.blocks + [0] * (count - len(table.blocks)) for table in self.tables]
        plan = [RowPlan(blocks, self.store.device) for blocks in rows]
        scratch = self._scratch_of(len(rows) * count)
        k, v = self.store.keys[0], self.store.values[0]
        gathering = k.gathering(plan, scratch[0]), v.gathering(plan, scratch[1])
        self._reading = _Reading(scratch, gathering)
        return self._reading

    def _read(self, lengths: Sequence[int]) -> int:
        """Return how many keys of each row attention reads: whole blocks if rows differ."""
        size, longest = self.store.block_size, max(lengths)
        return -(-longest // size) * size if self.pads else longest

    def _scratch_of(self, blocks: int) -> Pair:
        """Return room for K and V of so many blocks of one layer, the old one while they fit."""
        sides = (self.store.keys[0], self.store.values[0])
        sizes = [blocks * side.block_elements for side in sides]
        if self._scratch is None or self._scratch[0].numel() < sizes[0]:
            self._scratch = None  # first, so that old and new are never there together
            room = scratch_blocks(blocks)
            k, v = (
                torch.empty(room * side.block_elements, dtype=side.dtype, device=self.store.device)
                for side in sides
            )
            self._scratch = k, v
        k, v = (side[:size] for side, size in zip(self._scratch, sizes, strict=True))
        return k, v


def _slots(numbers: list[int], device: torch.device) -> Slots:
    first = numbers[0] if numbers else 0
    run = range(first, first + len(numbers))
    return slice(run.start, run.stop) if numbers == [*run] else _index(numbers, device)


def _index(numbers: list[int], device: torch.device) -> Tensor:
    return torch.tensor(numbers, dtype=torch.int64, device=device)
