"""The blocks of a paged cache by number: who holds them, which are free, which can be found."""

from collections import OrderedDict, deque

from kvviz.sizing.blocks import BlockChange, BlockEvent
from kvviz.sizing.errors import InputError


class BlockPool:
    """Numbers 0 to num_blocks - 1, each with a count of its owners; no tensors.

    A block without owners is free.  If it is blank it is handed out first; if it was sealed with
    a hash it can be found again until it is evicted, the one that has been free longest first.
    ``events`` is what happened since somebody last cleared it.
    """

    def __init__(self, num_blocks: int) -> None:
        if num_blocks < 1:
            raise InputError(f"A pool must have at least 1 block, not {num_blocks}.")
        self.num_blocks = num_blocks
        self.events: list[BlockEvent] = []
        self._references = [0] * num_blocks
        self._hashes = [0] * num_blocks
        self._blank = deque(range(num_blocks))
        self._reusable: OrderedDict[int, None] = OrderedDict()
        self._by_hash: dict[int, int] = {}
        self._evicted: OrderedDict[int, None] = OrderedDict()

    @property
    def num_free(self) -> int:
        """Blocks without owners, those that can still be found among them."""
        return len(self._blank) + len(self._reusable)

    @property
    def num_used(self) -> int:
        """Blocks with owners."""
        return self.num_blocks - self.num_free

    @property
    def blank(self) -> tuple[int, ...]:
        """Free blocks that hold nothing, the next to be taken first."""
        return tuple(self._blank)

    @property
    def reusable(self) -> tuple[int, ...]:
        """Free blocks that can still be found, the next to be evicted first."""
        return tuple(self._reusable)

    def tell_what_is_there(self) -> None:
        """Begin the events anew, with how every block is now."""
        held = [block for block, count in enumerate(self._references) for _ in range(count)]
        self.events[:] = [
            BlockEvent(change, block, hash=self._hashes[block])
            for change, blocks in (
                (BlockChange.HELD, held),
                (BlockChange.FOUND, self._reusable),
                (BlockChange.BLANK, self._blank),
            )
            for block in blocks
        ]

    def take_events(self) -> tuple[BlockEvent, ...]:
        """Return what happened, and forget it."""
        events = tuple(self.events)
        self.events.clear()
        return events

    def references(self, block: int) -> int:
        """Return how many owners a block has."""
        return self._references[block]

    def hash_of(self, block: int) -> int:
        """Return a block's hash, 0 if it has none."""
        return self._hashes[block]

    def find(self, digest: int) -> int | None:
        """Return the block sealed with a hash, whether it has owners or not."""
        return self._by_hash.get(digest)

    def was_evicted(self, digest: int) -> bool:
        """Whether a hash is among those evicted lately, as many as there are blocks."""
        return digest in self._evicted

    def take(self, row: int = -1) -> int:
        """Return a free block with one owner; raise InputError if there is none."""
        if self._blank:
            block = self._blank.popleft()
        elif self._reusable:
            block = self._evict()
        else:
            raise InputError(
                f"All {self.num_blocks:,} blocks of the pool are in use: end a request, or make "
                "the pool larger."
            )
        self._references[block] = 1
        self.events.append(BlockEvent(BlockChange.TAKEN, block, row))
        return block

    def share(self, block: int, row: int = -1) -> None:
        """Add an owner to a block that has some, or that was found."""
        if not self._references[block] and self._reusable.pop(block, self) is self:
            raise ValueError(f"block {block} is blank: it has nothing to share")
        self._references[block] += 1
        self.events.append(BlockEvent(BlockChange.SHARED, block, row))

    def drop(self, block: int, row: int = -1) -> None:
        """Take one owner away; raise ValueError if there is none (a double free)."""
        if not self._references[block]:
            raise ValueError(f"block {block} is free already")
        self._references[block] -= 1
        self.events.append(BlockEvent(BlockChange.DROPPED, block, row))
        if self._references[block]:
            return
        if self._hashes[block]:
            self._reusable[block] = None
        else:
            self._blank.append(block)

    def seal(self, block: int, digest: int) -> None:
        """Name a full block so that it can be found; of two with one content the first counts."""
        if not self._references[block] or self._hashes[block]:
            raise ValueError(f"block {block} is free or sealed already")
        if digest in self._by_hash:
            return
        self._hashes[block] = digest
        self._by_hash[digest] = block
        self._evicted.pop(digest, None)
        self.events.append(BlockEvent(BlockChange.SEALED, block, hash=digest))

    def _evict(self) -> int:
        block, _ = self._reusable.popitem(last=False)
        digest = self._hashes[block]
        self._hashes[block] = 0
        del self._by_hash[digest]
        self._evicted[digest] = None
        if len(self._evicted) > self.num_blocks:
            self._evicted.popitem(last=False)
        self.events.append(BlockEvent(BlockChange.EVICTED, block, hash=digest))
        return block
