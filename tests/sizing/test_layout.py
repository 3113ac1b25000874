import pytest

from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
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


WIDE = [CachePart(2, 192, 128), CachePart(1, 64, 0)]


def sized(layout, before, after, *, batch=1, limit=100, pads=(), parts=WIDE):
    return layout.predict(
        parts, batch=batch, before=before, after=after, max_seq_len=limit, pads=pads
    )


def test_keys_and_values_may_differ_in_dtype():
    layout = CacheLayout(LayoutKind.CONCAT, DType.FLOAT32, DType.FLOAT8_E4M3)

    assert layout.payload(WIDE, 3, 5) == 3 * 5 * (2 * 192 * 4 + 2 * 128 + 64 * 4)


@pytest.mark.parametrize(("tokens", "blocks", "scratch"), [(31, 2, 2), (32, 2, 2), (33, 3, 4)])
def test_paged_reserves_whole_blocks_of_a_pool(tokens, blocks, scratch):
    layout, one = CacheLayout(LayoutKind.PAGED, block_size=16), (2 * 320 + 64) * 4
    found = sized(layout, tokens - 1, tokens)

    assert found.used == tokens * one
    assert found.reserved == found.gathered == blocks * 16 * one
    assert found.slack == (blocks * 16 - tokens) * one < 16 * one
    assert found.peak == found.reserved + scratch * 16 * 640 * 4
    assert found.pool == 7 * 16 * one
    assert found.allocated == found.pool + scratch * 16 * 640 * 4


def test_rows_of_unequal_lengths_take_their_own_blocks_or_are_padded():
    one, pads = (2 * 320 + 64) * 4, (0, 20, 33)
    paged = sized(CacheLayout(LayoutKind.PAGED), 39, 40, batch=3, pads=pads)
    padded = sized(CacheLayout(LayoutKind.CONCAT), 39, 40, batch=3, pads=pads)

    assert paged.used == padded.used == (40 + 20 + 7) * one
    assert paged.reserved == (3 + 2 + 1) * 16 * one
    assert padded.reserved == 3 * 40 * one
    assert padded.slack == 53 * one


@pytest.mark.parametrize(("seen", "held"), [(9, 9), (10, 10), (11, 10), (50, 10)])
def test_sliding_holds_window_and_sinks(seen, held):
    layout, one = CacheLayout(LayoutKind.SLIDING, window=8, sinks=2), (2 * 320 + 64) * 4
    found = sized(layout, seen - 1, seen)

    assert layout.held(seen) == held
    assert found == CacheBytes(held * one, 10 * one, 10 * one)
    assert sized(layout, seen - 1, seen, limit=6).reserved == 6 * one


def test_a_chunk_behind_a_window_is_read_together_with_it():
    layout, one = CacheLayout(LayoutKind.SLIDING, window=8), (2 * 320 + 64) * 4
    found = sized(layout, 20, 25)

    assert found.gathered == 8 * one
    assert found.peak == found.reserved + (8 + 5) * 640 * 4
    assert sized(layout, 0, 25).gathered == 0


def test_codes_take_their_bits_and_a_scale_a_group():
    part = [CachePart(2, 64, 64)]
    int8 = CacheLayout(LayoutKind.QUANTIZED, bits=8, group=32)
    int4 = CacheLayout(LayoutKind.QUANTIZED, DType.FLOAT16, bits=4, group=32)

    assert int8.payload(part, 1, 1) == 2 * 2 * (64 + 2 * 4)
    assert int4.payload(part, 1, 1) == 2 * 2 * (32 + 2 * 2)
    assert int4.group_of(80) == 16


def test_the_newest_tokens_of_a_quantized_cache_stay_as_they_are():
    part, layout = [CachePart(2, 64, 64)], CacheLayout(LayoutKind.QUANTIZED, residual=4)
    coded, plain = 2 * 2 * (64 + 2 * 4), 2 * 2 * 64 * 4

    assert sized(layout, 2, 3, parts=part).used == 3 * plain
    found = sized(layout, 8, 9, parts=part)
    assert found.used == 5 * coded + 4 * plain == layout.payload(part, 1, 9)
    assert found.reserved == 96 * coded + 4 * plain
    assert found.peak == found.reserved + 9 * plain


def test_layouts_that_cannot_be_are_refused():
    with pytest.raises(InputError, match="head size 5 must be even"):
        CacheLayout(LayoutKind.QUANTIZED, bits=4).check([CachePart(2, 5, 5)])
    with pytest.raises(InputError, match="float8_e4m3 is too coarse"):
        CacheLayout(LayoutKind.QUANTIZED, v_dtype=DType.FLOAT8_E4M3)
