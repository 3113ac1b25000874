"""One sequence's way through the pool: from its tokens to blocks and slots."""

from collections.abc import Sequence

from kvviz.cache.block_pool import BlockPool
from kvviz.sizing.blocks import (
    ROOT,
    BlockChange,
    BlockEvent,
    Miss,
    PrefixMatch,
    block_hash,
    blocks_for,
)
from kvviz.sizing.errors import InputError


class BlockTable:
    """Logical to physical: token i lies in ``blocks[i // block_size]``."""

    def __init__(self, pool: BlockPool, block_size: int, row: int = 0) -> None:
        self.blocks: list[int] = []
        self.num_tokens = 0
        self._pool = pool
        self._block_size = block_size
        self._row = row
        self._chain: list[int] = []  # hashes of the leading full blocks

    @property
    def num_empty(self) -> int:
        """Slots of the last block that no token has: internal fragmentation."""
        return len(self.blocks) * self._block_size - self.num_tokens

    def slots(self, start: int, end: int) -> list[int]:
        """Return the places of tokens ``start`` to ``end``: block number x block size + offset."""
        size, blocks = self._block_size, self.blocks
        return [blocks[i // size] * size + i % size for i in range(start, end)]

    def reuse(self, ids: Sequence[int]) -> PrefixMatch:
        """Begin an empty table with the blocks of the longest prefix that the pool still has.

        Hits stop at the first missing block, and before the block of the last token.
        """
        size, hits = self._block_size, 0
        misses: list[Miss] = []
        for first in range(0, len(ids), size):
            miss = self._join(ids[first : first + size], first + size >= len(ids), bool(misses))
            if miss is None:
                hits += 1
            else:
                misses.append(miss)
        self.num_tokens = hits * size
        return PrefixMatch(self.num_tokens, tuple(misses))

    def append(self, count: int) -> tuple[int, int] | None:
        """Make room for ``count`` tokens.

        Returns (old, new) if the last block was shared and the first of the tokens goes into a
        copy of it.  Raises InputError, and changes nothing, if the pool has too few blocks.
        """
        pool, size = self._pool, self._block_size
        end, offset = self.num_tokens + count, self.num_tokens % size
        if offset and offset + count <= size and pool.references(self.blocks[-1]) == 1:
            self.num_tokens = end  # by far the most frequent case
            return None
        added = blocks_for(end, size) - len(self.blocks)
        copies = count > 0 and offset > 0 and pool.references(self.blocks[-1]) > 1
        if added or copies:
            self._check_room(added + copies)
        copied = self._replace_last() if copies else None
        for _ in range(added):
            self.blocks.append(pool.take(self._row))
        self.num_tokens = end
        return copied

    def seal(self, ids: Sequence[int]) -> None:
        """Give the blocks that are full by now their hashes; ``ids`` are all tokens so far."""
        size = self._block_size
        for index in range(len(self._chain), self.num_tokens // size):
            parent = self._chain[-1] if self._chain else ROOT
            digest = block_hash(parent, ids[index * size : (index + 1) * size])
            self._chain.append(digest)
            if not self._pool.hash_of(self.blocks[index]):
                self._pool.seal(self.blocks[index], digest)

    def fork(self, row: int) -> "BlockTable":
        """Return a table that shares every block, the one being filled too."""
        other = BlockTable(self._pool, self._block_size, row)
        for block in self.blocks:
            self._pool.share(block, row)
        other.blocks, other.num_tokens = self.blocks.copy(), self.num_tokens
        other._chain = self._chain.copy()
        return other

    def release(self) -> None:
        """Let go of every block, the last first, so that a prefix outlives what follows it."""
        while self.blocks:
            self._pool.drop(self.blocks.pop(), self._row)
        self.num_tokens = 0
        self._chain.clear()

    def _join(self, ids: Sequence[int], is_last: bool, behind_a_miss: bool) -> Miss | None:
        """Share the block of these tokens if the pool has it; else say why not."""
        if len(ids) < self._block_size:
            return Miss.NOT_FULL
        if behind_a_miss:
            return Miss.LAST_TOKEN if is_last else Miss.BEHIND_A_MISS
        if is_last:
            return Miss.LAST_TOKEN
        digest = block_hash(self._chain[-1] if self._chain else ROOT, ids)
        block = self._pool.find(digest)
        if block is None:
            return Miss.EVICTED if self._pool.was_evicted(digest) else Miss.NEVER_STORED
        self._pool.share(block, self._row)
        self.blocks.append(block)
        self._chain.append(digest)
        return None

    def _replace_last(self) -> tuple[int, int]:
        old, new = self.blocks[-1], self._pool.take(self._row)
        self._pool.events.append(BlockEvent(BlockChange.REPLACED, new, self._row))
        self._pool.drop(old, self._row)
        self.blocks[-1] = new
        return old, new

    def _check_room(self, needed: int) -> None:
        if needed > self._pool.num_free:
            raise InputError(
                f"The pool is out of blocks ({needed:,} more needed, {self._pool.num_free:,} of "
                f"{self._pool.num_blocks:,} free): end a request, or make it larger."
            )
