import pytest
import torch
from engine_runs import CPU, cache_of, layout_of, shape_of

from kvviz.cache.build import build_store
from kvviz.cache.paged import PagedCache
from kvviz.sizing.errors import InputError

SHAPE = shape_of(kv_heads=2, layers=2)


def rows(fed, value, batch=1):
    return torch.full((batch, 2, fed, SHAPE.head_dim), float(value))


def feed(cache, fed, value, batch=1):
    read = [cache.update(layer, *(rows(fed, value + layer, batch),) * 2) for layer in (0, 1)]
    kept = [tuple(side.clone() for side in pair) for pair in read[1:]]
    return kept[0][0], cache.finish_step()


def store_of(text="paged:4", batch=1, limit=40):
    return build_store(layout_of(text), SHAPE, batch, limit, CPU)


def test_a_fork_copies_the_shared_block_that_it_writes_into():
    cache = PagedCache(store_of("paged:4x20"), 1)
    feed(cache, 6, 10)
    other = cache.fork()
    used = cache.store.pool.num_used
    keys, bytes_ = feed(other, 1, 50)
    block = cache.store.block_bytes
    assert bytes_.copied == block
    assert cache.store.pool.num_used == used + 1
    assert keys[0, 0, :, 0].tolist() == [11.0] * 6 + [51.0]
    keys, bytes_ = feed(cache, 1, 70)
    assert bytes_.copied == 0
    assert keys[0, 0, :, 0].tolist() == [11.0] * 6 + [71.0]


def test_a_released_request_leaves_the_pool_what_others_hold():
    store = store_of(batch=2, limit=16)
    first, second = PagedCache(store, 1), PagedCache(store, 1)
    feed(first, 7, 1)
    feed(second, 9, 2)
    assert store.pool.num_used == 2 + 3
    first.release()
    assert store.pool.num_used == 3
    keys, _ = feed(second, 1, 5)
    assert keys[0, 0, :, 0].tolist() == [3.0] * 9 + [6.0]


def test_a_pool_that_is_full_is_said_before_anything_is_written():
    store = store_of("paged:4x3")
    cache = PagedCache(store, 1)
    feed(cache, 7, 1)
    with pytest.raises(InputError, match="3 more needed, 1 of 3 free"):
        cache.update(0, rows(10, 2), rows(10, 2))
    cache.release()
    assert store.pool.num_free == 3


def test_storage_is_blocks_by_tokens_by_heads_by_width():
    for text, limit in (("paged:4", 40), ("paged:16", 1100)):
        store = store_of(text, limit=limit)
        cache = PagedCache(store, 1)
        feed(cache, 3, 7)
        blocks = store.keys[0].blocks
        size = layout_of(text).block_size
        assert blocks.shape == (store.pool.num_blocks, size, 2, SHAPE.head_dim)
        assert blocks[0, :3].eq(7).all()
        assert blocks[0, 3:].eq(0).all()
        assert store.nbytes == 4 * blocks.numel() * 4


@pytest.mark.parametrize("limit", [64, 1100])
def test_scattered_blocks_are_read_in_the_order_of_the_table(limit):
    """Two requests grow in turn, so neither's blocks lie side by side."""
    store = store_of("paged:2", batch=2, limit=limit)
    caches = [PagedCache(store, 1), PagedCache(store, 1)]
    fed = [[], []]
    for step in range(30):
        for index, cache in enumerate(caches):
            value = 100 * index + step
            fed[index].append(value + 1.0)
            keys, _ = feed(cache, 1, value)
            assert keys[0, 1, :, 3].tolist() == fed[index]


def test_one_scratch_serves_every_layer_and_step_until_its_blocks_are_full():
    cache = cache_of("paged:4", SHAPE)
    places, rooms = [], []
    for fed in (5, 3, 1, 4, 4):
        for layer in (0, 1):
            keys, _ = cache.update(layer, rows(fed, 1), rows(fed, 1))
            places.append(keys.untyped_storage().data_ptr())
        bytes_ = cache.finish_step()
        assert bytes_.gathered == bytes_.reserved
        one = cache.store.block_bytes // SHAPE.num_layers
        rooms.append(
            (bytes_.reserved // cache.store.block_bytes, (bytes_.peak - bytes_.reserved) // one)
        )
    assert len(set(places[:4])) == len(set(places[4:8])) == 1
    assert rooms == [(2, 2), (2, 2), (3, 4), (4, 4), (5, 8)]
