import pytest
from PySide6.QtCore import QPointF, QRectF

from kvviz.ui.views.grid_camera import LARGEST, LARGEST_FITTED, GridCamera

VIEWPORT = QRectF(56, 54, 400, 440)


def camera(side, ratio=1.0):
    made = GridCamera()
    made.set_room(VIEWPORT, ratio)
    made.set_side(side)
    return made


@pytest.mark.parametrize("side", [1, 3, 29, 200, 4096])
@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_a_fitted_square_is_whole_and_in_sight(side, ratio):
    view = camera(side, ratio)
    assert view.rows == (0, side)
    assert view.keys == (0, side)
    assert VIEWPORT.contains(view.square)
    assert view.square.topLeft() == VIEWPORT.topLeft()


@pytest.mark.parametrize("ratio", [1.0, 1.25, 2.0])
def test_cells_that_can_be_told_apart_are_whole_device_pixels(ratio):
    view = camera(29, ratio)
    assert (view.cell * ratio) == round(view.cell * ratio)


def test_a_few_tokens_are_not_blown_up():
    assert camera(2).cell == LARGEST_FITTED


def test_a_fitted_square_follows_the_planned_rows_until_zoomed():
    view = camera(29)
    view.set_side(58)
    assert view.rows == (0, 58)
    view.zoom(3.0, VIEWPORT.center())
    cell = view.cell
    view.set_side(60)
    assert view.cell == cell
    view.fit()
    assert view.rows == (0, 60)


def test_the_cell_under_the_mouse_stays_there():
    view = camera(4096)
    view.zoom(8.0, VIEWPORT.center())
    at = QPointF(300, 300)
    before = view.cell_at(at)
    for _ in range(6):
        view.zoom(1.1, at)
        row, key = view.cell_at(at)
        assert abs(row - before[0]) <= 1
        assert abs(key - before[1]) <= 1


def test_every_notch_counts_even_where_cells_are_whole():
    view = camera(29)
    sizes = []
    for _ in range(30):
        view.zoom(1.05, VIEWPORT.center())
        sizes.append(view.cell)
    assert sizes[-1] > 2 * sizes[0]
    assert sizes == sorted(sizes)


def test_zoom_stops_at_the_largest_cell_and_at_the_whole_square():
    view = camera(200)
    view.zoom(1e6, VIEWPORT.center())
    assert view.cell == LARGEST
    view.zoom(1e-9, QPointF(60, 60))
    assert view.fitted
    assert view.rows == (0, 200)


@pytest.mark.parametrize(("dx", "dy"), [(1e5, 1e5), (-1e5, -1e5), (1e5, -1e5)])
def test_the_square_is_never_lost(dx, dy):
    view = camera(200)
    view.zoom(10.0, VIEWPORT.center())
    view.pan(dx, dy)
    assert view.visible == VIEWPORT
    small = camera(5)
    small.pan(dx, dy)
    assert VIEWPORT.contains(small.square)


def test_one_to_one_brings_a_row_into_sight():
    view = camera(4096)
    view.one_to_one(16.0, 3000)
    assert view.cell == 16.0
    first, last = view.rows
    assert first <= 3000 < last
    first, last = view.keys
    assert first <= 3000 < last


def test_reveal_moves_no_further_than_needed():
    view = camera(200)
    view.zoom(10.0, VIEWPORT.center())
    origin = QPointF(view.origin)
    row, key = view.cell_at(VIEWPORT.center())
    view.reveal(row, key)
    assert view.origin == origin
    view.reveal(199, 0)
    assert view.cell_at(view.cell_rect(199, 0).center()) == (199, 0)


def test_nothing_is_under_a_place_outside_the_square():
    view = camera(29)
    assert view.cell_at(QPointF(10, 10)) is None
    assert view.cell_at(view.square.center()) is not None
    assert view.cell_at(view.square.bottomRight() + QPointF(2, 2)) is None
