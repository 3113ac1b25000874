import pytest

from kvviz.ui.views.chip_flow import ChipFlow, ChipLine


def flow(widths, room=100.0, gap=4.0):
    made = ChipFlow(room, gap)
    made.extend([str(width) for width in widths], float)
    return made


def test_chips_stand_side_by_side_until_the_line_is_full():
    made = flow([40, 40, 40])
    assert [made.chip(i).line for i in range(3)] == [0, 0, 1]
    assert [made.chip(i).x for i in range(3)] == [0, 44, 0]
    assert made.lines == 2


def test_a_chip_wider_than_the_line_takes_all_of_it():
    made = flow([250, 20])
    assert made.chip(0).width == 100
    assert made.chip(1).line == 1


def test_appending_gives_what_laying_out_at_once_gives():
    widths = [18 + 7 * (i % 9) for i in range(300)]
    whole, grown = flow(widths), ChipFlow(100.0, 4.0)
    for width in widths:
        grown.extend([str(width)], float)
    assert [whole.chip(i) for i in range(300)] == [grown.chip(i) for i in range(300)]
    assert whole.lines == grown.lines


def test_keeping_a_start_forgets_the_rest():
    made = flow([40] * 9)
    made.keep(3)
    assert (len(made), made.lines) == (3, 2)
    made.extend(["40"], float)
    assert made.chip(3).line == 1
    made.keep(0)
    assert (len(made), made.lines) == (0, 0)


@pytest.mark.parametrize(
    ("first", "last", "chips"),
    [(0, 1, range(0, 2)), (1, 3, range(2, 6)), (3, 9, range(6, 7)), (7, 9, range(0))],
)
def test_the_chips_of_some_lines_are_found(first, last, chips):
    assert flow([40] * 7).on_lines(first, last) == chips


def test_what_is_under_a_place_is_found():
    made = flow([40] * 3)
    assert made.at(0, 10) == 0
    assert made.at(0, 42) is None
    assert made.at(0, 45) == 1
    assert made.at(1, 39) == 2
    assert made.at(1, 41) is None
    assert made.at(5, 10) is None
    assert made.at(-1, 10) is None


def test_lines_in_sight_begin_with_a_line():
    made = flow([40] * 7)
    assert made.in_sight(1, 2) == range(2, 6)
    assert made.begin(1) == (0.0, 1)
    assert made.last_first(2) == 2
    assert made.last_first(9) == 0


def test_a_single_line_in_sight_begins_with_a_chip():
    made = ChipLine(100.0, 4.0)
    assert made.in_sight(0, 1) == range(0)
    assert made.last_first(1) == 0
    assert made.begin(0) == (0.0, 0)
    made.extend(["40", "40", "40", "12"], float)
    assert made.lines == 1
    assert made.in_sight(0, 1) == range(0, 2)
    assert made.in_sight(1, 1) == range(1, 4)
    assert made.begin(1) == (44.0, 0)
    assert made.last_first(1) == 1
    made.extend(["250"], float)  # as wide as the room
    assert made.in_sight(made.last_first(1), 1) == range(4, 5)
