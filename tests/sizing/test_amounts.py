import pytest

from kvviz.sizing.amounts import parse_bytes, parse_count
from kvviz.sizing.errors import InputError


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("80GiB", 80 * 2**30),
        ("24 gb", 24 * 10**9),
        ("3.81GiB", 4_090_956_349),
        ("512MiB", 2**29),
        ("1,024", 1024),
        ("0", 0),
        ("1.5KiB", 1536),
    ],
)
def test_sizes(text, number):
    assert parse_bytes(text) == number


@pytest.mark.parametrize(("text", "number"), [("8.03B", 8_030_000_000), ("494M", 494 * 10**6)])
def test_counts(text, number):
    assert parse_count(text) == number


@pytest.mark.parametrize("text", ["", "GiB", "-1GiB", "1e9", "1..2", "5 miles", "9" * 30, "nan"])
def test_what_is_no_amount(text):
    for parse in (parse_bytes, parse_count):
        with pytest.raises(InputError, match="is not a"):
            parse(text)
