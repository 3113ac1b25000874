import pytest

from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheBytes, CacheLayout, LayoutKind
from kvviz.sizing.shape import CachePart, ModelShape


def predict(kind, before, after, limit=100):
    layout = CacheLayout(kind, DType.FLOAT16)
    parts = (CachePart(2, 8, 8),) * 3
    return layout.predict(parts, batch=2, before=before, after=after, max_seq_len=limit)


TOKEN = 2 * 3 * 2 * 2 * 8 * 2  # K and V, layers, batch, KV heads, head size, bytes


def test_the_textbooks_2_gib():
    shape = ModelShape(num_layers=32, num_heads=32, num_kv_heads=32, head_dim=128)
    layout = CacheLayout(LayoutKind.CONCAT, DType.BFLOAT16)
    assert layout.payload(shape.cache_parts, 1, 4096) == 2_147_483_648 == 2 * 2**30


def test_concat_holds_old_and_new_at_once_and_moves_the_old():
    assert predict(LayoutKind.CONCAT, 0, 5) == CacheBytes(5 * TOKEN, 5 * TOKEN, 5 * TOKEN, 0)
    assert predict(LayoutKind.CONCAT, 5, 6) == (
        CacheBytes(6 * TOKEN, 6 * TOKEN, 11 * TOKEN, 5 * TOKEN)
    )


def test_preallocated_reserves_the_limit_and_moves_nothing():
    for before, after in ((0, 5), (5, 6), (99, 100)):
        bytes_ = predict(LayoutKind.PREALLOCATED, before, after)
        assert bytes_ == CacheBytes(after * TOKEN, 100 * TOKEN, 100 * TOKEN, 0)
        assert bytes_.slack == (100 - after) * TOKEN


def test_none_keeps_nothing():
    assert predict(LayoutKind.NONE, 5, 6) == CacheBytes(0, 0, 0, 0)
    assert not CacheLayout(LayoutKind.NONE).keeps_entries


def test_k_and_v_may_differ_in_width_and_layers_too():
    layout = CacheLayout(LayoutKind.CONCAT, DType.FLOAT32)
    parts = (CachePart(1, 512, 64), CachePart(4, 8, 16))
    assert layout.payload(parts, 3, 7) == 3 * 7 * (576 + 4 * 24) * 4


@pytest.mark.parametrize("kv_heads", [1, 2, 4, 8])
def test_fewer_kv_heads_shrink_the_cache_in_proportion(kv_heads):
    parts = ModelShape(num_heads=8, num_kv_heads=kv_heads).cache_parts
    whole = ModelShape(num_heads=8, num_kv_heads=8).cache_parts
    layout = CacheLayout(LayoutKind.CONCAT)
    assert layout.payload(parts, 1, 10) * 8 == layout.payload(whole, 1, 10) * kv_heads
