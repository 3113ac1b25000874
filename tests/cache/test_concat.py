import weakref

import torch
from engine_runs import shape_of

from kvviz.cache.concat import ConcatCache
from kvviz.cache.kv_cache import Dtypes

SHAPE = shape_of(kv_heads=2)
NEW = torch.ones(1, 2, 1, SHAPE.head_dim)


def test_the_old_tensors_live_until_the_step_is_finished():
    cache = ConcatCache(Dtypes(torch.float32, torch.float32))
    old = [weakref.ref(tensor) for tensor in cache.update(0, NEW, NEW)]
    cache.finish_step()
    cache.update(0, NEW, NEW)
    assert all(ref() is not None for ref in old)
    bytes_ = cache.finish_step()
    assert all(ref() is None for ref in old)
    one = 2 * NEW.nbytes
    assert (bytes_.copied, bytes_.used, bytes_.peak) == (one, 2 * one, 3 * one)


def test_a_step_that_fed_nothing_measures_what_is_held():
    cache = ConcatCache(Dtypes(torch.float32, torch.float32))
    assert cache.finish_step().reserved == 0
    cache.update(0, NEW, NEW)
    cache.finish_step()
    again = cache.finish_step()
    assert (again.used, again.peak, again.copied) == (2 * NEW.nbytes, 2 * NEW.nbytes, 0)
