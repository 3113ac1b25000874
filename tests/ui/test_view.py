from types import SimpleNamespace

import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from kvviz.session.selection import Pointer
from kvviz.ui.changes import Change
from kvviz.ui.views.view import View


class Watched(View):
    concerns = Change.STEPS | Change.SELECTION

    def __init__(self, store, look):
        super().__init__(store, look)
        self.seen = []

    def read(self, changes):
        self.seen.append(changes)


@pytest.fixture
def view(qtbot, look):
    made = Watched(FakeStore(hand_made_trace(steps=4)), look)
    qtbot.addWidget(made)
    return made


def test_only_what_concerns_a_view_is_read(view):
    view.store.changed.emit(Change.POINTER | Change.PICTURE)
    assert view.seen == []
    view.store.changed.emit(Change.STEPS | Change.PICTURE)
    assert view.seen == [Change.STEPS]


def test_what_changed_before_its_turn_is_read_in_one_go(view):
    waiting = {}
    view.store.frames = SimpleNamespace(ask=lambda draw: waiting.setdefault(draw))
    for change in (Change.STEPS, Change.STEPS, Change.POINTER, Change.SELECTION):
        view.store.changed.emit(change)
    assert view.seen == []
    assert len(waiting) == 1
    for draw in waiting:
        draw()
    assert view.seen == [Change.STEPS | Change.SELECTION]


def test_the_mouse_gone_points_at_nothing(view):
    view.store.point(Pointer(3))
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert view.store.pointer == Pointer()
