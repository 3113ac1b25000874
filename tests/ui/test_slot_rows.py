from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF

from kvviz.ui.views.slot_rows import SHORTEST, SlotRows


def rows(slots=64, layers=4, width=596.0, height=100.0, zoom=1.0, ratio=1.0):
    return SlotRows(slots, layers, width, height, zoom, ratio)


@pytest.mark.parametrize("layers", [1, 4, 12, 24])
@pytest.mark.parametrize("slots", [8, 64, 4096])
@pytest.mark.parametrize("zoom", [1.0, 2.0])
def test_all_slots_of_all_layers_stand_inside(layers, slots, zoom):
    height = SlotRows.height_for(layers, zoom)
    made = rows(slots, layers, 600 * zoom, height - 6, zoom)
    assert made.body.right() <= 600 * zoom
    assert made.body.bottom() <= height
    assert made.row >= SHORTEST


def test_rows_of_two_layers_never_touch():
    made = rows(layers=24, height=SlotRows.height_for(24, 1.0))
    spans = [made.span(0, 1, layer, kind) for layer in range(24) for kind in (0, 1)]
    assert all(a.bottom() < b.top() for a, b in pairwise(spans))


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_slots_that_stand_apart_are_whole_device_pixels(ratio):
    made = rows(ratio=ratio)
    assert made.apart
    assert made.slot * ratio == round(made.slot * ratio)
    assert not rows(slots=4096).apart


def test_the_slot_under_a_place_is_found():
    made = rows()
    for place in ((0, 0, 0), (17, 2, 1), (63, 3, 0)):
        assert made.at(made.span(place[0], place[0] + 1, *place[1:]).center()) == place
    assert made.at(QPointF(2, 2)) is None
    assert made.at(QPointF(made.body.right() + 1, 10)) is None


def test_names_are_thinned_out_where_layers_are_close():
    assert rows().label_stride == 1
    assert rows(layers=24, height=SlotRows.height_for(24, 1.0)).label_stride > 1
