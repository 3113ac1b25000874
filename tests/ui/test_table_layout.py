from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF

from kvviz.session.pool_picture import Place
from kvviz.ui.views.table_layout import MOST_HEIGHT, table_layout

ORIGIN = QPointF(34, 3)


def test_few_boxes_stand_in_one_line():
    made = table_layout((3, 2, 4), 8, ORIGIN, 700, 1.0)
    assert made.in_line
    assert made.numbered
    assert len({start.y() for start in made.starts}) == 1
    assert made.rect(Place(0, 2)).right() < made.rect(Place(1, 0)).left()
    assert made.rect(Place(2, 3)).right() <= 734


@pytest.mark.parametrize("counts", [(76,) * 4, (30,) * 16, (256,), (4096,), (40, 1, 700)])
@pytest.mark.parametrize("zoom", [0.75, 1.0, 2.0])
def test_many_boxes_have_a_row_for_each_sequence(counts, zoom):
    made = table_layout(counts, sum(counts), ORIGIN, 700 * zoom, zoom)
    assert not made.in_line
    for row, count in enumerate(counts):
        assert made.rect(Place(row, count - 1)).right() <= ORIGIN.x() + 700 * zoom + 0.01
    tops = [made.rect(Place(row, 0)) for row in range(len(counts))]
    assert all(a.bottom() <= b.top() for a, b in pairwise(tops))
    assert made.bottom <= ORIGIN.y() + (MOST_HEIGHT + 3) * zoom


@pytest.mark.parametrize("counts", [(3, 2, 4), (76,) * 4])
def test_the_box_under_a_place_is_found(counts):
    made = table_layout(counts, sum(counts), ORIGIN, 700, 1.0)
    for place in (Place(0, 0), Place(1, counts[1] - 1), Place(len(counts) - 1, 1)):
        assert made.at(made.rect(place).center()) == place
    assert made.row_at(made.starts[1] - QPointF(10, -2)) == 1
    assert made.row_at(made.starts[1] + QPointF(1, 2)) is None
    assert made.at(QPointF(2, 2)) is None
    assert made.at(made.rect(Place(0, 0)).center() - QPointF(0, 40)) is None
