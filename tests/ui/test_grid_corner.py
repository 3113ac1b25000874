import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace
from PySide6.QtCore import Qt

from kvviz.session.selection import Aggregate, ColorMap, GridMode, Scale
from kvviz.ui.views.grid_corner import GridCorner
from kvviz.ui.views.grid_view import LEFT, TOP, GridView


@pytest.fixture
def corner(qtbot, dressed):
    store = FakeStore(hand_made_trace(steps=12))
    grid = GridView(store, dressed)
    view = GridCorner(store, dressed, grid)
    for widget in (grid, view):
        qtbot.addWidget(widget)
    grid.resize(560, 500)
    view.show()
    view.store, view.grid = store, grid
    return view


def test_fit_and_one_to_one_move_the_grid(corner, qtbot):
    qtbot.mouseClick(corner.one_to_one, Qt.MouseButton.LeftButton)
    assert not corner.grid.camera.fitted
    qtbot.mouseClick(corner.fit, Qt.MouseButton.LeftButton)
    assert corner.grid.camera.fitted


@pytest.mark.parametrize("zoom", [0.75, 1.0, 1.5, 2.0])
def test_it_stands_beside_the_names_and_above_the_square(corner, dressed, zoom):
    dressed.set_zoom(zoom)
    corner.layout().activate()
    assert (corner.width(), corner.height()) == (dressed.px(LEFT), dressed.px(TOP))
    for button in (corner.more, corner.fit, corner.one_to_one):
        assert corner.rect().contains(button.geometry())
        assert button.geometry().right() < dressed.px(LEFT)
        assert button.geometry().bottom() < dressed.px(TOP)
    assert corner.more.geometry().bottom() < corner.fit.geometry().top()
    assert corner.fit.geometry().right() < corner.one_to_one.geometry().left()


def test_the_menu_switches_brightness_scale_sink_and_colours(corner):
    menu = corner.menu
    words = " ".join(action.text() for action in menu.actions())
    assert "Mean" in words
    assert "Fit" in words
    menu.log.trigger()
    menu.hide_sink.trigger()
    assert corner.store.selection.scale is Scale.LOG
    assert corner.store.selection.hide_sink
    menu.brightness.trigger()
    assert not corner.store.selection.brightness
    assert not menu.log.isEnabled()
    assert "first" in menu.log.toolTip()
    assert not menu.maps[ColorMap.CIVIDIS].isEnabled()
    corner.store.select(mode=GridMode.WEIGHTS)
    assert not menu.brightness.isEnabled()
    menu.maps[ColorMap.CIVIDIS].trigger()
    assert corner.store.selection.color_map is ColorMap.CIVIDIS
    menu.together[Aggregate.MAX].trigger()
    assert corner.store.selection.head is Aggregate.MAX
