from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF, QRectF

from kvviz.ui.views.pool_layout import pool_layout

ROOM = QRectF(34, 40, 700, 100)
POOLS = [(1, 1), (4, 16), (9, 16), (64, 1), (300, 4), (600, 16), (4, 256), (4096, 1), (2000, 256)]


@pytest.mark.parametrize(("count", "size"), POOLS)
@pytest.mark.parametrize("zoom", [0.75, 1.0, 2.0])
@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_blocks_in_sight_stand_inside_and_apart(count, size, zoom, ratio):
    area = QRectF(34, 40, 700 * zoom, 100 * zoom)
    made = pool_layout(count, size, area, zoom, ratio)
    rects = [made.whole(place) for place in made.in_sight]
    assert all(area.adjusted(0, 0, 0.01, 0.01).contains(rect) for rect in rects)
    first_row = rects[: made.columns]
    assert all(a.right() < b.left() for a, b in pairwise(first_row))
    assert made.slot * ratio == round(made.slot * ratio)
    if made.rows > 1 and not made.most_scrolled:
        assert rects[0].bottom() < rects[-1].top()


@pytest.mark.parametrize(("count", "size"), POOLS)
def test_the_slot_under_a_place_is_found(count, size):
    made = pool_layout(count, size, ROOM, 1.0, 1.0)
    for place in (made.in_sight.start, made.in_sight.stop - 1):
        for slot in {0, size // 2, size - 1}:
            assert made.at(made.slots(place, slot, slot + 1).center()) == (place, slot)
    assert made.at(QPointF(0, 0)) is None
    assert made.at(ROOM.bottomRight() + QPointF(5, 5)) is None


def test_few_blocks_stand_in_one_row_with_words():
    made = pool_layout(4, 16, ROOM, 1.0, 1.0)
    assert (made.rows, made.columns >= 4) == (1, True)
    assert made.head > 0
    assert made.at(QPointF(made.whole(2).left() + 3, made.whole(2).top() + 3)) == (2, None)


@pytest.mark.parametrize(
    ("count", "size", "rows"), [(4, 16, 1), (7, 16, 1), (16, 4, 2), (9, 16, 3), (10, 4, 1)]
)
def test_a_row_more_is_better_than_blocks_without_room_for_words(count, size, rows):
    made = pool_layout(count, size, ROOM, 1.0, 1.0)
    assert made.rows == rows
    assert made.width >= 46
    assert made.slot >= 5


def test_many_blocks_lose_their_words_before_their_slots():
    made = pool_layout(300, 4, ROOM, 1.0, 1.0)
    assert made.head == 0
    assert made.apart
    assert not made.most_scrolled


def test_what_has_no_room_is_scrolled():
    made = pool_layout(2000, 256, ROOM, 1.0, 1.0)
    assert made.most_scrolled == made.rows - made.rows_in_sight > 0
    end = pool_layout(2000, 256, ROOM, 1.0, 1.0, scrolled=10**6)
    assert end.in_sight.stop == 2000
    assert end.scrolled == made.most_scrolled
    assert end.whole(end.in_sight.start).top() == ROOM.top()
