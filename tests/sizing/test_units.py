import pytest

from kvviz.sizing.units import bytes_text, count_text, ms_text


@pytest.mark.parametrize(
    ("num_bytes", "text"),
    [
        (0, "0 B"),
        (1023, "1,023 B"),
        (1024, "1 KiB"),
        (42_000, "41 KiB"),
        (43_500, "42.5 KiB"),
        (2**20, "1 MiB"),
        (2**31, "2 GiB"),
        (5 * 2**40, "5,120 GiB"),
    ],
)
def test_bytes_are_read_in_binary_units(num_bytes, text):
    assert bytes_text(num_bytes) == text


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
