import pytest
from hand_made import hand_made_trace
from PySide6.QtWidgets import QApplication, QWidget

from kvviz.ui.playground import Playground
from kvviz.ui.theme import ThemeChoice


@pytest.fixture
def playground(qtbot, store, dressed):
    view = Playground(store, dressed)
    qtbot.addWidget(view)
    view.resize(1440, 852)
    view.show()
    view.restore_columns([])
    store.adopt(hand_made_trace())
    store.seek(9)
    settle()
    return view


def settle():
    for _ in range(5):
        QApplication.processEvents()


def test_columns_are_as_before_when_the_zoom_is(playground):
    look, before, late = playground.look, playground.columns.sizes(), QWidget()
    playground.right.addWidget(late)  # as a comparison's charts, which come after the columns
    look.changed.connect(lambda: late.setMinimumWidth(look.px(300)))
    look.set_zoom(1.5)
    settle()
    assert playground.columns.sizes() != before
    look.set_zoom(1.0)
    settle()
    assert playground.columns.sizes() == before


def test_another_theme_leaves_columns_where_they_were_dragged(playground):
    dragged = [300, 700, 438]
    playground.columns.setSizes(dragged)
    playground.look.choose(ThemeChoice.LIGHT)
    settle()
    assert playground.columns.sizes() == dragged
