import pytest

from kvviz.sizing.units import (
    both_units,
    bytes_pair,
    bytes_text,
    count_text,
    ms_text,
    noun_text,
    three_figures,
)


@pytest.mark.parametrize(
    ("num_bytes", "text"),
    [
        (0, "0 B"),
        (1023, "1,023 B"),
        (1024, "1.00 KiB"),
        (42_000, "41.0 KiB"),
        (393_216, "384 KiB"),
        (1_048_064, "1,024 KiB"),
        (43_500, "42.5 KiB"),
        (2**20, "1.00 MiB"),
        (2**31, "2.00 GiB"),
        (5 * 2**40, "5.00 TiB"),
    ],
)
def test_bytes_are_read_in_binary_units(num_bytes, text):
    assert bytes_text(num_bytes) == text
    assert bytes_pair(num_bytes) == tuple(text.split())


@pytest.mark.parametrize(
    ("num_bytes", "both"),
    [
        (0, ("0 B", "0 B")),
        (1023, ("1,023 B", "1,023 B")),
        (131_072, ("128 KiB", "131 kB")),
        (2**31, ("2.00 GiB", "2.15 GB")),
        (3 * 2**40, ("3.00 TiB", "3.30 TB")),
    ],
)
def test_bytes_are_read_in_decimal_units_too(num_bytes, both):
    assert both_units(num_bytes) == both


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0.000 ms"),
        (214_000, "0.214 ms"),
        (2_140_000, "2.14 ms"),
        (21_440_000, "21.4 ms"),
        (2_140_000_000, "2,140 ms"),
    ],
)
def test_times_are_read_in_three_digits(nanoseconds, text):
    assert ms_text(nanoseconds) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 slots"), (1, "1 slot"), (2, "2 slots"), (4096, "4,096 slots")]
)
def test_one_of_a_thing_is_no_plural(count, text):
    assert count_text(count, "slot") == text
    assert noun_text(count, "slot") == text.split()[1]


@pytest.mark.parametrize(
    ("number", "size", "text"),
    [
        (0, 1024, "0"),
        (512, 1024, "0.50"),
        (9_995, 1000, "10.0"),
        (99_949, 1000, "99.9"),
        (99_950, 1000, "100"),
        (1_234_567, 1000, "1,235"),
        (1_234_567, 1, "1,234,567"),
    ],
)
def test_three_figures_are_those_that_matter(number, size, text):
    assert three_figures(number, size) == text
