import re

import pytest

from kvviz.sizing.cost import RunCost, gib, memory_limit, run_cost, trace_bytes
from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.shape import ModelShape

SHAPE = ModelShape(3, 4, 2, 8, 50)


def cost(kind=LayoutKind.PREALLOCATED, dtype=DType.FLOAT32, prompt=10, new=5, limit=20):
    return run_cost(
        SHAPE,
        dtype=dtype,
        layout=CacheLayout(kind, dtype),
        batch=2,
        prompt_tokens=prompt,
        max_new_tokens=new,
        max_seq_len=limit,
    )


def test_weights_and_cache_are_exact():
    token = 2 * 3 * 2 * 2 * 8 * 4
    assert cost().weights == 4 * SHAPE.num_parameters
    assert cost(dtype=DType.BFLOAT16).weights == 2 * SHAPE.num_parameters
    assert cost().cache == 20 * token
    assert cost(LayoutKind.CONCAT).cache == (14 + 15) * token
    assert cost(LayoutKind.NONE).cache == 0


def test_the_trace_keeps_float32_rows_and_logits():
    assert cost().trace == trace_bytes(SHAPE, 20, 5) == 4 * (20 * 3 * (4 + 2 * 2) * 8 + 5 * 50)


def test_without_a_cache_the_widest_step_is_the_last():
    assert cost(LayoutKind.NONE).activations * 10 == cost().activations * 15


def test_a_run_that_fits_is_let_through_to_the_byte():
    run = RunCost(weights=1, cache=2, trace=3, activations=69)
    assert run.total == 75 == memory_limit(100)
    run.check(100)
    with pytest.raises(InputError, match="This run would take"):
        run.check(99)


def test_a_refusal_names_the_numbers():
    run = RunCost(weights=3 * 2**30, cache=2**29, trace=2**20, activations=0)
    said = "weights 3.0 GiB, cache 512.0 MiB, trace 1.0 MiB) and 1.5 GiB may be used of 2.0 GiB"
    with pytest.raises(InputError, match=re.escape(said)):
        run.check(2 * 2**30)


def test_bytes_are_written_in_the_unit_that_reads_well():
    assert gib(2 * 2**30) == "2.0 GiB"
    assert gib(2**30 - 1) == "1,024.0 MiB"
    assert gib(0) == "0.0 MiB"
