from itertools import pairwise

import pytest

from kvviz.ui.pace import PACES, UNLIMITED, pace_at, pace_position, pace_text


def test_positions_and_paces_are_each_others_inverse():
    for position in range(UNLIMITED + 1):
        assert pace_position(pace_at(position)) == position


def test_paces_go_from_one_to_two_hundred_in_ever_larger_steps():
    assert (PACES[0], PACES[-1]) == (1, 200)
    assert pace_at(UNLIMITED) is None
    ratios = [b / a for a, b in pairwise(PACES)]
    assert 1 < min(ratios) <= max(ratios) <= 1.5


@pytest.mark.parametrize(
    ("pace", "text"),
    [(4.0, "4 steps/s"), (1.0, "1 step/s"), (1.5, "1.5 steps/s"), (None, "as fast as it goes")],
)
def test_a_pace_has_a_name(pace, text):
    assert pace_text(pace) == text


def test_a_pace_between_stops_is_shown_at_the_nearest():
    assert pace_at(pace_position(47.0)) == 50
    assert pace_at(pace_position(999.0)) == 200
