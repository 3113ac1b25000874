import pytest
from PySide6.QtCore import QTimer

from kvviz.ui import turns as turns_module
from kvviz.ui.turns import Turns


class Desk:
    """Runs at full speed."""

    def __init__(self):
        self.held = 0

    def hold(self):
        self.held += 1

    def grant(self, credit):
        return True


@pytest.fixture
def turns(qtbot, monkeypatch):
    """Turns that plan the next one for a time that no test waits for."""
    monkeypatch.setattr(turns_module, "MODEL_SHARE", 10**9)
    monkeypatch.setattr(turns_module, "LONGEST_WAIT_MS", 10**6)
    made = Turns(Desk())
    yield made
    made.stop()


def take_one(qtbot, turns):
    with qtbot.waitSignal(turns.due):
        turns.wake()


def rounds(qtbot, turns):
    """Return how often a turn was due in a round of the loop in which every timer at 0 fires."""
    due = []
    turns.due.connect(lambda: due.append(None))
    for _ in range(2):
        with qtbot.waitCallback() as called:
            QTimer.singleShot(0, called)
    return len(due)


def test_the_model_has_its_share_before_the_next_turn(qtbot, turns):
    take_one(qtbot, turns)
    turns.end(None, again=True)
    turns.wake(at_once=False)
    assert rounds(qtbot, turns) == 0


def test_who_asks_between_two_turns_is_answered_at_once(qtbot, turns):
    take_one(qtbot, turns)
    turns.end(None, again=True)
    take_one(qtbot, turns)


def test_who_asks_in_the_middle_of_a_turn_is_answered_within_a_frame(qtbot, turns):
    take_one(qtbot, turns)
    turns.wake()
    with qtbot.waitSignal(turns.due):
        turns.end(None, again=False)
    turns.end(None, again=True)
    assert rounds(qtbot, turns) == 0


def test_nothing_is_drawn_once_it_was_stopped(qtbot, turns):
    turns.stop()
    turns.wake()
    assert rounds(qtbot, turns) == 0
