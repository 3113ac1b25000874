import pytest

from kvviz.cache.block_pool import BlockPool
from kvviz.cache.block_table import BlockTable
from kvviz.sizing.blocks import BlockChange, Miss, PrefixMatch
from kvviz.sizing.errors import InputError

SIZE = 4


def table_of(pool, ids=(), row=0):
    table = BlockTable(pool, SIZE, row)
    table.append(len(ids))
    table.seal(ids)
    return table


@pytest.mark.parametrize(
    ("tokens", "blocks", "empty"), [(0, 0, 0), (7, 2, 1), (8, 2, 0), (9, 3, 3)]
)
def test_blocks_follow_the_tokens(tokens, blocks, empty):
    """k blocks exactly, one token less, one more."""
    table = table_of(BlockPool(9), range(tokens))
    assert (len(table.blocks), table.num_empty) == (blocks, empty)


def test_tokens_lie_where_their_blocks_are():
    pool = BlockPool(9)
    first, second = BlockTable(pool, SIZE), BlockTable(pool, SIZE)
    for _ in range(6):
        first.append(1)
        second.append(1)
    assert (first.blocks, second.blocks) == ([0, 2], [1, 3])
    assert first.slots(2, 6) == [2, 3, 8, 9]
    assert second.slots(3, 5) == [7, 12]


def test_a_pool_too_small_is_refused_and_nothing_is_taken():
    pool = BlockPool(3)
    table = table_of(pool, range(6))
    with pytest.raises(InputError, match="2 more needed, 1 of 3 free"):
        table.append(7)
    assert (table.num_tokens, len(table.blocks), pool.num_free) == (6, 2, 1)
    table.append(6)
    assert pool.num_free == 0


def test_the_first_write_into_a_shared_block_goes_into_a_copy():
    pool = BlockPool(9)
    table = table_of(pool, range(6))
    other = table.fork(row=1)
    assert other.blocks == table.blocks == [0, 1]
    assert (pool.references(0), pool.references(1)) == (2, 2)
    pool.events.clear()
    assert other.append(1) == (1, 2)
    assert [event.change for event in pool.events] == [
        BlockChange.TAKEN,
        BlockChange.REPLACED,
        BlockChange.DROPPED,
    ]
    assert (table.blocks, other.blocks) == ([0, 1], [0, 2])
    assert (pool.references(0), pool.references(1), pool.references(2)) == (2, 1, 1)
    assert table.append(1) is None
    assert other.append(1) is None


def test_a_full_shared_block_is_never_copied():
    pool = BlockPool(9)
    table = table_of(pool, range(8))
    other = table.fork(row=1)
    assert other.append(1) is None
    assert other.blocks[:2] == table.blocks


def test_a_copy_needs_a_free_block():
    pool = BlockPool(2)
    table = table_of(pool, range(6))
    other = table.fork(row=1)
    with pytest.raises(InputError, match="1 more needed, 0 of"):
        other.append(1)
    assert other.num_tokens == 6


def test_a_second_prompt_shares_the_full_blocks_of_its_prefix():
    pool = BlockPool(9)
    table = table_of(pool, range(12))
    other = BlockTable(pool, SIZE, 1)
    found = other.reuse([*range(8), 99, 98, 97, 96, 5])
    assert found == PrefixMatch(8, (Miss.NEVER_STORED, Miss.NOT_FULL))
    assert other.blocks == table.blocks[:2]
    assert other.num_tokens == 8
    assert pool.references(0) == 2


def test_hits_stop_at_the_first_missing_block():
    pool = BlockPool(9)
    table_of(pool, range(12))
    found = BlockTable(pool, SIZE).reuse([*range(4), 9, 9, 9, 9, *range(8, 12), *range(12, 16)])
    assert found == PrefixMatch(4, (Miss.NEVER_STORED, Miss.BEHIND_A_MISS, Miss.LAST_TOKEN))


@pytest.mark.parametrize(
    ("tokens", "hits", "misses"),
    [
        (3, 0, (Miss.NOT_FULL,)),
        (4, 0, (Miss.LAST_TOKEN,)),
        (5, 4, (Miss.NOT_FULL,)),
        (11, 8, (Miss.NOT_FULL,)),
        (12, 8, (Miss.LAST_TOKEN,)),
        (13, 12, (Miss.NOT_FULL,)),
    ],
)
def test_a_prompt_that_is_all_there_still_computes_its_last_token(tokens, hits, misses):
    pool = BlockPool(9)
    table_of(pool, range(16))
    assert BlockTable(pool, SIZE).reuse(range(tokens)) == PrefixMatch(hits, misses)


def test_the_same_tokens_behind_other_ones_are_another_block():
    pool = BlockPool(9)
    table_of(pool, [1, 1, 1, 1, 2, 2, 2, 2])
    assert BlockTable(pool, SIZE).reuse([2] * 8).num_tokens == 0


def test_a_finished_sequence_is_evicted_from_its_tail():
    pool = BlockPool(3)
    table = table_of(pool, range(12))
    blocks = table.blocks.copy()
    table.release()
    assert pool.reusable == tuple(reversed(blocks))
    assert pool.num_free == 3
    table_of(pool, [7])
    found = BlockTable(pool, SIZE).reuse(range(13))
    assert found == PrefixMatch(8, (Miss.EVICTED, Miss.NOT_FULL))


def test_an_eviction_chain_leaves_the_prefix_to_the_end():
    pool = BlockPool(4)
    table_of(pool, range(16)).release()
    left = []
    for taken in range(4):
        table_of(pool, [50 + taken])
        probe = BlockTable(pool, SIZE)
        left.append(probe.reuse(range(17)).num_tokens)
        probe.release()
    assert left == [12, 8, 4, 0]


def test_release_twice_frees_once():
    pool = BlockPool(4)
    table = table_of(pool, range(5))
    table.release()
    table.release()
    assert (pool.num_free, table.num_tokens, table.blocks) == (4, 0, [])
