import pytest

from kvviz.ui.views.axis import (
    byte_axis,
    count_axis,
    ms_axis,
    nice_ceiling,
    number,
    short_ms,
    token_axis,
)


@pytest.mark.parametrize(
    ("value", "ceiling"),
    [(0, 1), (1, 1), (1.01, 1.2), (192, 200), (200, 200), (4460, 5000), (0.62, 0.8), (8.1, 10)],
)
def test_ranges_end_at_round_numbers(value, ceiling):
    assert nice_ceiling(value) == pytest.approx(ceiling)


def test_no_range_is_much_larger_than_what_it_covers():
    for n in range(1, 5000):
        assert n <= nice_ceiling(n) * (1 + 1e-9) <= 1.5 * n + 1e-6


def test_bytes_share_one_unit():
    assert byte_axis(192 * 2**10).ticks == (
        (200 * 2**10, "200 KiB"),
        (100 * 2**10, "100"),
        (0, "0"),
    )
    assert [text for _, text in byte_axis(2.2 * 2**30).ticks] == ["3 GiB", "1.5", "0"]


def test_time_is_in_ms_until_seconds_read_better():
    assert [text for _, text in ms_axis(3.9e6).ticks] == ["4 ms", "2", "0"]
    assert [text for _, text in ms_axis(0.15e6).ticks] == ["0.16 ms", "0.08", "0"]
    assert [text for _, text in ms_axis(14e9).ticks] == ["16 s", "8", "0"]


def test_counts_are_short():
    assert [text for _, text in count_axis(4460, "cells").ticks] == ["5 k cells", "2.5 k", "0"]
    assert [text for _, text in count_axis(900, "cells").ticks] == ["1 k cells", "500", "0"]
    assert [text for _, text in count_axis(1.1e10, "cells").ticks] == ["12 G cells", "6 G", "0"]


def test_tokens_are_named_in_the_middle():
    assert token_axis(64).ticks == ((0, "0"), (64, "64"), (32, "32 tokens"))
    assert token_axis(3).ticks == ((0, "0"), (3, "3"), (1, "1 token"))
    assert token_axis(1).ticks == ((0, "0"), (1, "1"))
    assert token_axis(0).high == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [(51, "51.0"), (3.14, "3.1"), (0.62, "0.62"), (0.062, "0.062"), (1612, "1,612"), (0, "0")],
)
def test_numbers_have_the_figures_that_matter(value, text):
    assert number(value) == text


def test_figures_take_little_room():
    assert short_ms(38_040_000) == "38"
    assert short_ms(620_000) == "0.62"
