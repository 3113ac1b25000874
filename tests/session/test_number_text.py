import pytest

from kvviz.session.number_text import number_text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.00"), (0.4149, "0.41"), (-12.345, "-12.35"), (0.004, "4e-3"), (-2e-12, "-2e-12")],
)
def test_a_number_is_never_nothing_unless_it_is(value, text):
    assert number_text(value) == text
