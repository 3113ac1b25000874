import pytest
from PySide6.QtCore import QPointF, QRectF, Qt

from kvviz.ui.views.grid_camera import GridCamera
from kvviz.ui.views.grid_stairs import stairs

ODD = Qt.FillRule.OddEvenFill


def camera(side):
    made = GridCamera()
    made.set_room(QRectF(50, 50, 400, 400), 1.0)
    made.set_side(side)
    return made


def test_a_cell_is_inside_exactly_where_a_row_sees_a_key():
    view = camera(20)
    shape = stairs(view, 4, 15)
    for row in range(20):
        for key in range(20):
            inside = shape.containsPoint(view.cell_rect(row, key).center(), ODD)
            assert inside == (key <= row and 4 <= row < 15), (row, key)


@pytest.mark.parametrize("side", [400, 4096])
def test_a_slope_stands_for_steps_too_small_to_see(side):
    view = camera(side)
    shape = stairs(view, 0, side)
    assert shape.count() <= 2 * 400 * 1.05
    box = shape.boundingRect()
    assert box.bottom() == view.square.bottom()
    middle = QPointF(view.square.center())
    assert shape.containsPoint(middle + QPointF(-3, 3), ODD)
    assert not shape.containsPoint(middle + QPointF(3, -3), ODD)


def test_rows_out_of_sight_cost_nothing():
    view = camera(4096)
    view.zoom(100.0, QPointF(200, 200))
    assert stairs(view, 0, 4096).count() < 200
    assert stairs(view, 4095, 4096).isEmpty()
    assert stairs(view, 7, 7).isEmpty()
