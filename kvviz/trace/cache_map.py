"""What a paged cache looks like at a step, folded from what happened to its blocks."""

from collections.abc import Sequence
from dataclasses import dataclass

from kvviz.sizing.blocks import BlockChange, BlockEvent
from kvviz.trace.config import RunConfig
from kvviz.trace.step import Step

BEGINNINGS = (BlockChange.HELD, BlockChange.FOUND, BlockChange.BLANK)


@dataclass(frozen=True, slots=True)
class BlockMap:
    """A pool of blocks behind one step.

    tables: each row's blocks in order.  references: a block's owners, those of other requests
    among them.  hashes: 0 where a block has none.  blank, reusable: free blocks, the next to be
    taken, or evicted, first.  taken, shared, sealed, evicted: blocks of the last step alone.
    written: (block, offset) of the tokens it wrote, all rows.
    """

    block_size: int
    tables: tuple[tuple[int, ...], ...]
    lengths: tuple[int, ...]
    references: tuple[int, ...]
    hashes: tuple[int, ...]
    blank: tuple[int, ...]
    reusable: tuple[int, ...]
    taken: tuple[int, ...]
    shared: tuple[int, ...]
    sealed: tuple[int, ...]
    evicted: tuple[int, ...]
    written: tuple[tuple[int, int], ...]

    @property
    def num_empty(self) -> int:
        """Slots of the rows' blocks that no token has: internal fragmentation."""
        return sum(map(len, self.tables)) * self.block_size - sum(self.lengths)

    @property
    def gone(self) -> bool:
        """Whether no block is held and none is free: the pool itself was given back."""
        return not (self.blank or self.reusable or any(self.references))

    def given_back(self) -> "BlockMap":
        """Return the map once the pool's memory was given back."""
        nobody = (0,) * len(self.references)
        return BlockMap(
            block_size=self.block_size,
            tables=((),) * len(self.tables),
            lengths=(0,) * len(self.lengths),
            references=nobody,
            hashes=nobody,
            blank=(),
            reusable=(),
            taken=(),
            shared=(),
            sealed=(),
            evicted=(),
            written=(),
        )

    def owners(self, block: int) -> tuple[int, ...]:
        """Return the rows that have a block in their tables."""
        return tuple(row for row, table in enumerate(self.tables) if block in table)


class BlockHistory:
    """Goes through the steps of a paged run; ``map_at`` is cheap where it goes on forward."""

    def __init__(self, config: RunConfig) -> None:
        layout, batch = config.layout, config.batch
        self._config = config
        self._num_blocks = layout.blocks_needed(batch, config.max_seq_len)
        self._last: tuple[BlockEvent, ...] = ()
        self._restart()

    def map_at(self, steps: Sequence[Step], index: int) -> BlockMap:
        """Return the map behind step ``index`` of a run's ``steps``; -1 is before the first."""
        if index < self._at:
            self._restart()
        if index < 0:
            return self._before(steps)
        while self._at < index:
            self._at += 1
            self._last = steps[self._at].block_events
            for event in self._last:
                self._do(event)
        return self._map(steps[index], self._config.row_lengths(steps[index].seq_len))

    def _before(self, steps: Sequence[Step]) -> BlockMap:
        """Return the map that a run began with: others may have left blocks in its pool."""
        for event in steps[0].block_events if steps else ():
            if event.change in BEGINNINGS:
                self._begin(event)
        found = self._map(None, (0,) * self._config.batch)
        self._restart()
        return found

    def _restart(self) -> None:
        self._at, self._last = -1, ()
        self._tables: list[list[int]] = [[] for _ in range(self._config.batch)]
        self._references = [0] * self._num_blocks
        self._hashes = [0] * self._num_blocks
        # Ordered by when they became free: a dictionary keeps its keys in order.
        self._blank = dict.fromkeys(range(self._num_blocks))
        self._reusable: dict[int, None] = {}

    def _do(self, event: BlockEvent) -> None:
        block = event.block
        match event.change:
            case _ if event.change in BEGINNINGS:
                self._begin(event)
            case BlockChange.TAKEN:
                self._blank.pop(block, None)
                self._references[block] = 1
                self._join(event)
            case BlockChange.SHARED:
                self._reusable.pop(block, None)
                self._references[block] += 1
                self._join(event)
            case BlockChange.REPLACED:
                # It was taken behind the block that it replaces.
                del self._tables[event.row][-2]
            case BlockChange.SEALED:
                self._hashes[block] = event.hash
            case BlockChange.DROPPED:
                self._drop(event)
            case BlockChange.EVICTED:
                self._reusable.pop(block, None)
                self._hashes[block] = 0

    def _begin(self, event: BlockEvent) -> None:
        block = event.block
        self._blank.pop(block, None)
        self._hashes[block] = event.hash
        if event.change is BlockChange.HELD:
            self._references[block] += 1
        else:
            free = self._reusable if event.change is BlockChange.FOUND else self._blank
            free[block] = None

    def _join(self, event: BlockEvent) -> None:
        if event.row >= 0:
            self._tables[event.row].append(event.block)

    def _drop(self, event: BlockEvent) -> None:
        block = event.block
        self._references[block] -= 1
        if event.row >= 0 and block in self._tables[event.row]:
            self._tables[event.row].remove(block)
        if not self._references[block]:
            (self._reusable if self._hashes[block] else self._blank)[block] = None

    def _map(self, step: Step | None, lengths: tuple[int, ...]) -> BlockMap:
        def changed(change: BlockChange) -> tuple[int, ...]:
            return tuple(event.block for event in self._last if event.change is change)

        return BlockMap(
            block_size=self._config.layout.block_size,
            tables=tuple(map(tuple, self._tables)),
            lengths=lengths,
            references=tuple(self._references),
            hashes=tuple(self._hashes),
            blank=tuple(self._blank),
            reusable=tuple(self._reusable),
            taken=changed(BlockChange.TAKEN),
            shared=changed(BlockChange.SHARED),
            sealed=changed(BlockChange.SEALED),
            evicted=changed(BlockChange.EVICTED),
            written=self._written(step, lengths) if step else (),
        )

    def _written(self, step: Step, lengths: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        size, fed = self._config.layout.block_size, step.num_tokens_fed
        more = [len(row.new_ids) for row in step.more_rows]
        counts = [fed, *more] if more else [fed] * len(lengths)
        return tuple(
            (self._tables[row][position // size], position % size)
            for row, (length, count) in enumerate(zip(lengths, counts, strict=True))
            for position in range(length - count, length)
        )
