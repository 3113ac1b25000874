import random

import pytest

from kvviz.cache.block_pool import BlockPool
from kvviz.cache.block_table import BlockTable
from kvviz.sizing.blocks import BlockChange, block_hash
from kvviz.sizing.errors import InputError

OPERATIONS = 1_000_000


def check(pool, tables=None):
    """Every invariant; ``tables`` are all the owners there are, if they are known."""
    blank, reusable = pool.blank, pool.reusable
    free = {*blank, *reusable}
    assert len(free) == len(blank) + len(reusable) == pool.num_free
    assert pool.num_used + pool.num_free == pool.num_blocks
    for block in range(pool.num_blocks):
        assert (pool.references(block) == 0) == (block in free)
        digest = pool.hash_of(block)
        if digest:
            assert pool.find(digest) == block
            assert not pool.was_evicted(digest)
    assert all(not pool.hash_of(block) for block in blank)
    assert all(pool.hash_of(block) for block in reusable)
    if tables is not None:
        owned = [block for table in tables for block in table.blocks]
        counts = [owned.count(block) for block in range(pool.num_blocks)]
        assert counts == [pool.references(block) for block in range(pool.num_blocks)]


def test_a_pool_has_at_least_one_block():
    with pytest.raises(InputError, match="at least 1 block"):
        BlockPool(0)


def test_blocks_are_handed_out_once_each():
    pool = BlockPool(3)
    assert sorted(pool.take() for _ in range(3)) == [0, 1, 2]
    with pytest.raises(InputError, match="All 3 blocks of the pool are in use"):
        pool.take()
    assert (pool.num_used, pool.num_free) == (3, 0)


def test_a_block_cannot_be_freed_twice():
    pool = BlockPool(2)
    block = pool.take()
    pool.share(block)
    pool.drop(block)
    pool.drop(block)
    with pytest.raises(ValueError, match=f"block {block} is free already"):
        pool.drop(block)
    check(pool)


def test_a_blank_block_cannot_be_shared_nor_sealed():
    pool = BlockPool(2)
    with pytest.raises(ValueError, match="is blank"):
        pool.share(0)
    with pytest.raises(ValueError, match="is free or sealed"):
        pool.seal(0, 9)
    assert pool.references(0) == 0
    check(pool)


def test_a_sealed_block_is_found_until_it_is_evicted_the_longest_free_first():
    pool = BlockPool(3)
    for digest in (11, 22, 33):
        pool.seal(pool.take(), digest)
    for digest in (22, 11, 33):
        pool.drop(pool.find(digest))
    assert [pool.hash_of(block) for block in pool.reusable] == [22, 11, 33]
    pool.share(pool.find(22))
    assert pool.take() is not None
    assert pool.find(11) is None
    assert pool.was_evicted(11)
    assert not pool.was_evicted(33)
    check(pool)


def test_blank_blocks_are_used_before_anything_is_evicted():
    pool = BlockPool(2)
    pool.seal(pool.take(), 11)
    pool.drop(0)
    assert pool.take() == 1
    assert pool.find(11) == 0


def test_of_two_blocks_with_one_content_the_first_counts():
    pool = BlockPool(2)
    first, second = pool.take(), pool.take()
    pool.seal(first, 11)
    pool.seal(second, 11)
    assert (pool.hash_of(first), pool.hash_of(second)) == (11, 0)
    pool.drop(second)
    assert pool.blank == (second,)
    check(pool)


def test_what_was_evicted_is_remembered_for_as_many_as_there_are_blocks():
    pool = BlockPool(2)
    for digest in range(1, 7):
        block = pool.take()
        pool.seal(block, digest)
        pool.drop(block)
    assert [digest for digest in range(1, 7) if pool.was_evicted(digest)] == [3, 4]


def test_a_hash_is_of_tokens_and_of_all_before_them():
    one = block_hash(0, (1, 2))
    assert one == block_hash(0, [1, 2])
    assert len({one, block_hash(0, (2, 1)), block_hash(one, (1, 2)), block_hash(0, (1, 2, 0))}) == 4
    assert 0 < one < 2**63


def test_what_happened_is_told_in_order():
    pool = BlockPool(1)
    block = pool.take(row=4)
    pool.seal(block, 7)
    pool.drop(block, row=4)
    pool.take(row=5)
    told = [(event.change, event.row, event.hash) for event in pool.events]
    assert told == [
        (BlockChange.TAKEN, 4, 0),
        (BlockChange.SEALED, -1, 7),
        (BlockChange.DROPPED, 4, 0),
        (BlockChange.EVICTED, -1, 7),
        (BlockChange.TAKEN, 5, 0),
    ]


@pytest.mark.parametrize("block_size", [4, 16])
def test_a_million_random_operations_keep_every_invariant(block_size):
    """Appends, forks, releases and reuse of prefixes on a pool that is full most of the time."""
    rng = random.Random(block_size)
    pool, size = BlockPool(40), block_size
    rows = [(BlockTable(pool, size), [])]
    refused = copied = evicted = 0
    for number in range(OPERATIONS // 2):
        table, ids = rows[rng.randrange(len(rows))]
        choice = rng.random()
        if choice < 0.94:
            try:
                copied += table.append(1) is not None
            except InputError:
                refused += 1
                table.release()
                ids.clear()
            else:
                ids.append(rng.randrange(2))
                if len(ids) % size == 0:
                    table.seal(ids)
        elif choice < 0.96 and len(rows) < 8:
            rows.append((table.fork(len(rows)), ids.copy()))
        elif choice < 0.98 and len(rows) < 8:
            started = BlockTable(pool, size)
            found = started.reuse(ids).num_tokens
            rows.append((started, ids[:found]))
        elif len(rows) > 1:
            rows.remove((table, ids))
            table.release()
        if number % 2000 == 0:
            check(pool, [table for table, _ in rows])
            evicted += sum(event.change is BlockChange.EVICTED for event in pool.events)
            pool.events.clear()
    for table, _ in rows:
        table.release()
    check(pool, [])
    assert pool.num_free == pool.num_blocks
    assert refused
    assert evicted
    assert copied
