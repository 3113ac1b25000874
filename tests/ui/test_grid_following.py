import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace
from PySide6.QtCore import QPointF

from kvviz.ui.views.grid_view import GridView


@pytest.fixture
def shown(qapp):
    return FakeStore(hand_made_trace(6, 24, steps=12))


@pytest.fixture
def grid(qtbot, shown, look):
    view = GridView(shown, look)
    qtbot.addWidget(view)
    view.resize(560, 500)
    view.show()
    return view


def zoomed_in_at(grid, row, key):
    grid.camera.zoom(5.0, QPointF(grid.camera.viewport.topLeft()))
    grid.camera.reveal(row, key)
    return QPointF(grid.camera.origin)


def row_in_sight(grid, row):
    return grid.camera.viewport.contains(grid.camera.cell_rect(row, row))


def test_zoomed_in_the_newest_row_stays_in_sight_as_the_run_grows(grid, shown):
    zoomed_in_at(grid, 16, 16)
    for _ in range(6):
        shown.grow()
        assert row_in_sight(grid, grid.newest[-1])
    shown.seek(3)
    assert row_in_sight(grid, grid.newest[-1])


def test_following_the_newest_row_leaves_columns_where_they_are(grid, shown):
    zoomed_in_at(grid, 16, 0)
    shown.grow(4)
    assert grid.camera.rows[0] < 20 < grid.camera.rows[1]
    assert grid.camera.keys[0] == 0


def test_panned_away_the_grid_stays_until_the_end_is_in_sight_again(grid, shown):
    zoomed_in_at(grid, 16, 16)
    grid.camera.pan(0, 12 * grid.camera.cell)
    away = QPointF(grid.camera.origin)
    shown.grow(3)
    assert grid.camera.origin == away
    grid.camera.reveal(19, 19)
    shown.grow(3)
    assert row_in_sight(grid, 22)
