import pytest

from kvviz.session.probability_text import probability_text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1.00"), (0.1, "0.10"), (0.034, "0.034"), (0.0005, "0.001"), (0.0004, "<0.001")],
)
def test_a_probability_has_the_digits_that_are_read(value, text):
    assert probability_text(value) == text
