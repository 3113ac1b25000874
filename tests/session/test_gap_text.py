import pytest

from kvviz.session.gap_text import gap_text


@pytest.mark.parametrize(
    ("gap", "digits", "text"),
    [
        (0.0, 1, "0"),
        (3.44e-6, 1, "4e-6"),
        (3.44e-6, 2, "3.5e-6"),
        (1e-6, 1, "1e-6"),
        (1e-5, 2, "1e-5"),
        (9.6e-7, 1, "1e-6"),
        (0.25, 2, "0.25"),
        (0.251, 2, "0.26"),
        (1.2e-13, 1, "2e-13"),
    ],
)
def test_at_most_is_never_less(gap, digits, text):
    assert gap_text(gap, digits) == text
    assert float(text) >= gap
