"""A screen of 1,024 px, half of one of 1,920, and one of 1,366 x 768 whose system enlarges."""

import pytest
from hand_made import hand_made_trace
from PySide6.QtWidgets import QApplication, QWidget

from kvviz.ui.playground import Playground

SIZES = [(960, 852), (1024, 600), (1093, 466)]  # without the bar on top
LEAST_CELLS = 160  # px of the grid's square that still show where a weight is


@pytest.fixture
def playground(qtbot, store, dressed):
    view = Playground(store, dressed)
    qtbot.addWidget(view)
    view.resize(1440, 852)
    view.show()
    store.adopt(hand_made_trace())
    store.seek(9)
    return view


def narrow(playground, size):
    playground.resize(*size)
    playground.restore_columns([])
    for _ in range(3):
        QApplication.processEvents()


@pytest.mark.parametrize("size", SIZES)
def test_everything_is_there_and_nothing_is_clipped(playground, size):
    narrow(playground, size)
    assert (playground.width(), playground.height()) == size
    charts = playground.charts
    for chart in (charts.memory, charts.latency):
        assert chart.header.minimumSizeHint().width() <= chart.header.width()
        assert charts.rect().contains(chart.geometry())
    assert playground.centre.grid.camera.viewport.width() >= LEAST_CELLS
    assert playground.columns.geometry().bottom() < playground.transport.y()


def test_the_left_column_gives_its_room_and_comes_back(playground):
    narrow(playground, SIZES[0])
    before = playground.centre.width()
    playground.toggle_controls()
    QApplication.processEvents()
    assert not playground.controls.isVisible()
    assert playground.centre.width() > before + 200
    assert playground.centre.heads.isVisible()
    playground.toggle_controls()
    QApplication.processEvents()
    assert playground.controls.isVisible()
    assert playground.centre.width() == before


def test_what_comes_to_the_left_is_seen(playground):
    playground.toggle_controls()
    playground.left.addWidget(lesson := QWidget())
    playground.left.setCurrentWidget(lesson)
    assert lesson.isVisible()
