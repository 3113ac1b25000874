import pytest

from kvviz.sizing.cost import RunCost, memory_limit, run_cost
from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.shape import ModelShape

SHAPE = ModelShape(num_layers=3, num_heads=4, num_kv_heads=2, head_dim=8, vocab_size=50)
PER_TOKEN = 2 * 3 * 2 * 8 * 4


def cost(kind=LayoutKind.PREALLOCATED, **changes):
    run = {"batch": 1, "prompt_tokens": 10, "max_new_tokens": 6, "max_seq_len": 100} | changes
    dtype = run.pop("dtype", DType.FLOAT32)
    return run_cost(SHAPE, dtype=dtype, layout=CacheLayout(kind), **run)


def test_a_run_takes_weights_cache_and_trace():
    found = cost()

    assert found.weights == SHAPE.num_parameters * 4
    assert found.cache == 100 * PER_TOKEN
    assert found.trace == 4 * (100 * 3 * 2 * (4 + 2) * 8 + 6 * 50)
    assert found.total == found.weights + found.cache + found.trace + found.activations


def test_weights_follow_the_models_dtype_and_the_cache_its_own():
    half = cost(dtype=DType.BFLOAT16)

    assert half.weights * 2 == cost().weights
    assert half.cache == cost().cache


def test_concat_is_counted_at_its_peak():
    assert cost(LayoutKind.CONCAT).cache == (15 + 16) * PER_TOKEN
    assert cost(LayoutKind.NONE).cache == 0


def test_the_full_prefix_each_step_is_the_wider_moment():
    assert cost(LayoutKind.NONE).activations > cost().activations


def test_a_run_may_take_three_quarters_of_what_is_free():
    assert memory_limit(1000) == 750
    fits = RunCost(weights=700, cache=20, trace=20, activations=10)
    fits.check(1000)
    with pytest.raises(InputError, match=r"weights .* cache .* trace .* free"):
        fits.check(999)
