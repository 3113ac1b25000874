import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvviz.ui.widgets.stops import Stops, plain

STEPS = (1, 2, 3, 6)


@pytest.mark.parametrize(("value", "index"), [(-5, 0), (1, 0), (4, 2), (5, 3), (6, 3), (99, 3)])
def test_nearest(value, index):
    assert Stops(STEPS).nearest(value) == index


@pytest.mark.parametrize(("value", "index"), [(0, 0), (1, 0), (2.5, 1), (5, 2), (6, 3), (99, 3)])
def test_at_most(value, index):
    assert Stops(STEPS).at_most(value) == index


@given(
    st.lists(st.integers(-1000, 1000), min_size=1, unique=True).map(sorted),
    st.floats(-2000, 2000),
)
def test_nothing_allowed_is_closer_than_the_nearest(values, wish):
    stops = Stops(values)
    found = abs(values[stops.nearest(wish)] - wish)
    assert found == min(abs(value - wish) for value in values)


@given(st.integers(-1000, 1000), st.integers(0, 1000), st.integers(-3000, 3000))
def test_a_range_is_a_sequence_like_any_other(low, count, wish):
    values = range(low, low + count + 1)
    assert Stops(values).nearest(wish) == Stops(list(values)).nearest(wish)


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("8", 8),
        (" 8,192 ", 8192),
        ("8 192", 8192),
        ("8\u202f192", 8192),
        ("8_192", 8192),
        ("0.7", 0.7),
        ("-3", -3),
        ("1e3", 1000),
        ("", None),
        ("abc", None),
        ("nan", None),
        ("1e999", None),
        ("-inf", None),
        ("1.2.3", None),
        ("9" * 5000, None),
        ("١٢٨", None),
    ],
)
def test_read(typed, number):
    assert Stops(STEPS).read(typed) == number


def test_lengths_are_read_as_axes_write_them():
    assert [Stops(STEPS).read(typed) for typed in ("128k", "1 M", "0.5 K", "k")] == [
        131_072, 1_048_576, 512, None,
    ]  # fmt: skip


def test_whole_numbers_are_read_as_integers():
    assert isinstance(Stops(STEPS).read("4.0"), int)


def test_describe_lists_a_few_and_spans_many():
    assert Stops(STEPS).describe() == "1, 2, 3, 6"
    assert Stops(range(1, 4097)).describe() == "1 to 4,096"
    assert Stops([step / 10 for step in range(21)]).describe() == "0 to 2"


def test_plain():
    assert [plain(4096), plain(0.7), plain(2.0)] == ["4,096", "0.7", "2"]


def test_no_values_is_a_mistake():
    with pytest.raises(ValueError, match="at least one"):
        Stops(())
