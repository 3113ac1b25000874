import pytest

from kvviz.session.gap_text import gap_text


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        (0.0, "0"),
        (3.44e-6, "4e-6"),
        (1e-6, "1e-6"),
        (9.6e-7, "1e-6"),
        (0.25, "0.3"),
        (1.2e-13, "2e-13"),
    ],
)
def test_at_most_is_never_less(gap, text):
    assert gap_text(gap) == text
    assert float(text) >= gap
