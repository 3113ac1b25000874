import pytest

from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheBytes, CacheLayout, LayoutKind
from kvviz.sizing.shape import CachePart, ModelShape

GIB = 2**30


def predict(kind, before, after, limit=100, dtype=DType.FLOAT32):
    shape = ModelShape(num_layers=3, num_heads=4, num_kv_heads=2, head_dim=8)
    return CacheLayout(kind, dtype).predict(
        shape.cache_parts, batch=2, before=before, after=after, max_seq_len=limit
    )


PER_TOKEN = 2 * 3 * 2 * 2 * 8 * 4


def test_the_fields_own_example_is_2_gib():
    """32 layers, 32 KV heads of 128, bfloat16, 4,096 tokens."""
    shape = ModelShape(32, 32, 32, 128)
    layout = CacheLayout(LayoutKind.PREALLOCATED, DType.BFLOAT16)

    assert layout.payload(shape.cache_parts, 1, 4096) == 2 * GIB == 2_147_483_648
    grouped = ModelShape(32, 32, 8, 128)
    assert layout.payload(grouped.cache_parts, 1, 1) == 131_072


def test_without_a_cache_nothing_is_kept():
    assert predict(LayoutKind.NONE, 9, 10) == CacheBytes()


def test_concat_holds_old_and_new_at_once():
    assert predict(LayoutKind.CONCAT, 9, 10) == CacheBytes(
        used=10 * PER_TOKEN, reserved=10 * PER_TOKEN, peak=19 * PER_TOKEN, copied=9 * PER_TOKEN
    )


def test_preallocated_reserves_the_limit_and_moves_nothing():
    found = predict(LayoutKind.PREALLOCATED, 9, 10)

    assert found == CacheBytes(
        used=10 * PER_TOKEN, reserved=100 * PER_TOKEN, peak=100 * PER_TOKEN, copied=0
    )
    assert found.slack == 90 * PER_TOKEN


@pytest.mark.parametrize("dtype", list(DType))
def test_an_element_takes_its_bits(dtype):
    found = predict(LayoutKind.CONCAT, 0, 1, dtype=dtype)

    assert found.used == PER_TOKEN * dtype.bits // 32


def test_keys_and_values_may_differ_in_width():
    parts = [CachePart(2, 192, 128), CachePart(1, 64, 0)]

    assert CacheLayout(LayoutKind.CONCAT).payload(parts, 3, 5) == 3 * 5 * (2 * 320 + 64) * 4
