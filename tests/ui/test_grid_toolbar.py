from itertools import pairwise

import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace
from PySide6.QtCore import QRect, Qt

from kvviz.session.selection import Aggregate, GridMode, Pointer
from kvviz.ui.views.grid_toolbar import GridToolbar


@pytest.fixture
def bar(qtbot, dressed):
    store = FakeStore(hand_made_trace(steps=12))
    view = GridToolbar(store, dressed)
    qtbot.addWidget(view)
    view.resize(820, 32)
    view.show()
    view.store = store
    return view


def controls(bar):
    parts = (bar.mode, bar.layer, bar.head, bar.together)
    return [part for part in parts if part.isVisible()]


@pytest.mark.parametrize("zoom", [1.0, 1.5])
@pytest.mark.parametrize("width", [596, 700, 820, 1100])
def test_nothing_is_clipped_at_any_width(bar, dressed, width, zoom):
    dressed.set_zoom(zoom)
    bar.resize(round(width * zoom), bar.sizeHint().height())
    bar.layout().activate()
    shown = controls(bar)
    boxes = [QRect(part.pos(), part.size()) for part in shown]
    assert all(bar.rect().contains(box) for box in boxes)
    for part, box in zip(shown, boxes, strict=True):
        assert box.width() >= part.minimumSizeHint().width()
    ordered = sorted(boxes, key=QRect.left)
    assert all(a.right() < b.left() for a, b in pairwise(ordered))
    assert bar.readout.width() >= bar._look.px(190)


@pytest.mark.parametrize("width", [320, 400, 480, 596, 820])
def test_where_it_is_narrow_the_readout_has_a_line_of_its_own(bar, width):
    bar.resize(width, bar.sizeHint().height())
    bar.resize(width, bar.sizeHint().height())  # as high as it asked for then
    bar.layout().activate()
    bar.store.select(cell=(8, 2))
    assert bar.layer.width() <= bar.layer.sizeHint().width()
    assert (bar.readout.y() > bar.mode.geometry().bottom()) == (width <= 480)
    assert bar.rect().contains(bar.readout.geometry())
    assert "weight" in bar.readout.text
    assert not bar.readout.is_elided


def test_where_it_is_narrow_mean_and_max_are_left_to_head_and_menu(bar):
    bar.resize(596, 32)
    assert not bar.together.isVisible()
    assert {"mean", "max"} <= {bar.head.itemText(i) for i in range(bar.head.count())}
    bar.resize(1000, 32)
    assert bar.together.isVisible()


def test_controls_choose_and_follow(bar, qtbot):
    qtbot.mouseClick(bar.mode.button(GridMode.WEIGHTS), Qt.MouseButton.LeftButton)
    assert bar.store.selection.mode is GridMode.WEIGHTS
    bar.layer.setCurrentIndex(2)
    bar.layer.activated.emit(2)
    assert bar.store.selection.layer == 2
    bar.store.select(layer=1, head=5)
    assert (bar.layer.value, bar.head.value) == (1, 5)


def test_mean_again_goes_back_to_the_head_before(bar, qtbot):
    bar.store.select(head=4)
    qtbot.mouseClick(bar.mean, Qt.MouseButton.LeftButton)
    assert bar.store.selection.head is Aggregate.MEAN
    assert bar.head.value is Aggregate.MEAN
    assert bar.mean.isChecked()
    qtbot.mouseClick(bar.mean, Qt.MouseButton.LeftButton)
    assert bar.store.selection.head == 4
    assert not bar.mean.isChecked()


def test_the_readout_follows_the_mouse_then_the_cell_cursor(bar):
    bar.resize(1100, 32)
    bar.store.select(cell=(8, 2))
    assert bar.readout.text.startswith("row said → key cat")
    bar.store.point(Pointer(12, 3))
    assert bar.readout.text.startswith("row you → key sat")
    assert "recomputed" in bar.readout.toolTip()
    bar.store.point(Pointer())
    assert bar.readout.text.startswith("row said → key cat")
    bar.store.seek(2)
    assert "not computed yet" in bar.readout.text
    bar.store.select(cell=None)
    assert "point at a cell" in bar.readout.text


def test_at_the_drawn_size_there_is_room_for_mean_and_max_and_all_of_a_cell(bar):
    bar.resize(754, 32)  # the middle of a window of 1,440
    assert bar.together.isVisible()
    bar.store.select(cell=(8, 2))
    assert bar.readout.text.startswith("said → cat  score ")
    assert "weight" in bar.readout.text
    assert bar.readout.text.endswith("measured")
    assert not bar.readout.is_elided


def test_when_the_last_run_is_removed_it_stands_at_the_first_head(qtbot, dressed, store):
    store.adopt(hand_made_trace(steps=12))
    store.select(layer=1, head=1)
    bar = GridToolbar(store, dressed)
    qtbot.addWidget(bar)
    store.remove_run(store.shown.run_id)
    assert (bar.layer.currentText(), bar.head.currentText()) == ("Layer 0", "Head 0")
