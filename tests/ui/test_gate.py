import pytest
from PySide6.QtCore import QObject

from kvviz.ui.gate import Gate


@pytest.fixture
def stand(qapp):
    class Stand(QObject):
        def __init__(self):
            super().__init__()
            self.now = 100.0
            self.opened = 0
            self.gate = Gate(200, self, clock=lambda: self.now)
            self.gate.opened.connect(self.count)

        def count(self):
            self.opened += 1

    return Stand()


def test_who_is_not_in_a_hurry_goes_through_at_once(stand):
    for _ in range(3):
        stand.gate.ask(hurried=False)
    assert stand.opened == 3


def test_the_hurried_wait_and_once_is_enough(stand):
    stand.gate.ask(hurried=True)
    assert stand.opened == 1
    for _ in range(50):
        stand.now += 0.001
        stand.gate.ask(hurried=True)
    assert stand.opened == 1
    assert stand.gate._timer.isActive()
    assert 0 < stand.gate._timer.interval() <= 200
    stand.gate._timer.timeout.emit()
    assert stand.opened == 2
    assert not stand.gate._timer.isActive()


def test_after_the_interval_there_is_no_wait(stand):
    stand.gate.ask(hurried=True)
    stand.now += 0.2
    stand.gate.ask(hurried=True)
    assert stand.opened == 2


def test_coming_to_rest_shows_the_last_word_at_once(stand):
    stand.gate.ask(hurried=True)
    stand.gate.ask(hurried=True)
    stand.gate.ask(hurried=False)
    assert stand.opened == 2
    assert not stand.gate._timer.isActive()
