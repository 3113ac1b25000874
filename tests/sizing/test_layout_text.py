import pytest

from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.layout_text import layout_text, parse_layout


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("none", CacheLayout(LayoutKind.NONE)),
        ("concat", CacheLayout(LayoutKind.CONCAT)),
        ("preallocated", CacheLayout(LayoutKind.PREALLOCATED)),
        ("paged:16", CacheLayout(LayoutKind.PAGED, block_size=16)),
        ("paged:1x40", CacheLayout(LayoutKind.PAGED, block_size=1, num_blocks=40)),
        ("sliding:64", CacheLayout(LayoutKind.SLIDING, window=64)),
        ("sliding:8+4", CacheLayout(LayoutKind.SLIDING, window=8, sinks=4)),
        ("quantized:int8", CacheLayout(LayoutKind.QUANTIZED, bits=8)),
        ("quantized:int4/16", CacheLayout(LayoutKind.QUANTIZED, bits=4, group=16)),
        ("quantized:int4+16", CacheLayout(LayoutKind.QUANTIZED, bits=4, residual=16)),
        ("quantized:int8/64+9", CacheLayout(LayoutKind.QUANTIZED, group=64, residual=9)),
    ],
)
def test_a_layout_is_read_and_written_alike(text, layout):
    assert parse_layout(text) == parse_layout(f" {text.upper()} ") == layout
    assert layout_text(layout) == text


@pytest.mark.parametrize("kind", LayoutKind)
def test_a_bare_name_is_a_layout(kind):
    assert parse_layout(kind.value) == CacheLayout(kind)
    assert parse_layout(layout_text(CacheLayout(kind))) == CacheLayout(kind)


def test_dtypes_come_from_another_layout():
    like = CacheLayout(LayoutKind.CONCAT, DType.FLOAT16, DType.FLOAT8_E4M3)
    found = parse_layout("paged:8", like)
    assert found == CacheLayout(LayoutKind.PAGED, DType.FLOAT16, DType.FLOAT8_E4M3, block_size=8)


@pytest.mark.parametrize(
    "text",
    [
        *["", "pages", "concat:3", "paged:x", "paged:1.5", "paged:-1", "sliding:8+", "none:1"],
        *["sliding:8+4+2", "quantized:8", "quantized:int", "paged:1234567890", "quantized:int4/"],
        "paged:٢٨",
    ],
)
def test_what_is_written_otherwise_is_refused_with_the_forms(text):
    with pytest.raises(InputError, match=r"choose none, concat, .* paged:16"):
        parse_layout(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("paged:0", "between 1 and 256, not 0"),
        ("paged:257", "between 1 and 256, not 257"),
        ("sliding:0", "between 1 and 16,777,216, not 0"),
        ("quantized:int3", "choose int8 or int4"),
        ("quantized:int4/24", "power of two"),
    ],
)
def test_numbers_out_of_range_are_refused_with_the_range(text, reason):
    with pytest.raises(InputError, match=reason):
        parse_layout(text)
