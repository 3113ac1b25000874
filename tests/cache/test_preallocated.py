import pytest
import torch
from engine_runs import CPU, cache_of, shape_of

from kvviz.cache.kv_cache import Dtypes
from kvviz.cache.preallocated import LONG, PreallocatedCache
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import LayoutKind

SHAPE = shape_of(kv_heads=2, layers=1)


def rows(fed):
    return torch.ones(1, 2, fed, SHAPE.head_dim)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("limit", [9, LONG])
def test_steps_write_into_the_storage_that_was_there(dtype, limit):
    cache = PreallocatedCache(
        SHAPE, batch=1, max_seq_len=limit, dtypes=Dtypes(dtype, dtype), device=CPU
    )
    places = []
    for fed in (5, 1, 3):
        keys, values = cache.update(0, rows(fed).to(dtype), rows(fed).to(dtype))
        places.append((keys.data_ptr(), values.data_ptr()))
        cache.finish_step()
    assert len(set(places)) == 1
    assert keys.untyped_storage().data_ptr() == values.untyped_storage().data_ptr()


def test_more_than_the_limit_is_refused_and_leaves_the_cache_as_it_was():
    cache = cache_of(LayoutKind.PREALLOCATED, SHAPE, max_seq_len=4)
    cache.update(0, rows(3), rows(3))
    cache.finish_step()
    with pytest.raises(InputError, match="room for 4 tokens and 5 were fed"):
        cache.update(0, rows(2), rows(2))
    assert cache.update(0, rows(1), rows(1))[0].shape[2] == 4


def test_a_step_that_fed_nothing_measures_what_is_held():
    cache = cache_of(LayoutKind.PREALLOCATED, SHAPE, max_seq_len=4)
    assert cache.finish_step().used == 0
    cache.update(0, rows(3), rows(3))
    used = cache.finish_step().used
    assert cache.finish_step().used == used == 2 * rows(3).nbytes


def test_a_long_cache_lies_along_its_tokens():
    cache = cache_of(LayoutKind.PREALLOCATED, SHAPE, max_seq_len=LONG)
    keys, values = cache.update(0, rows(3), rows(3))
    assert keys.stride(2) == values.stride(2) == 1
