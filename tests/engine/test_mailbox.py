import threading

import pytest

from kvviz.engine.mailbox import Mailbox
from kvviz.trace.messages import EndReason, RunFailed, RunFinished, RunStarted

WAIT_S = 20


def posted(mailbox, *run_ids, give_up=None):
    """Post from a thread, which is returned."""

    def post():
        for run_id in run_ids:
            mailbox.post(RunStarted(run_id), give_up)

    thread = threading.Thread(target=post)
    thread.start()
    return thread


def ids(events):
    return [event.run_id for event in events]


def test_events_come_out_as_they_went_in():
    mailbox = Mailbox()
    for run_id in range(5):
        mailbox.post(RunStarted(run_id))
    assert ids(mailbox.drain(2)) == [0, 1]
    assert ids(mailbox.drain()) == [2, 3, 4]
    assert mailbox.drain() == []


def test_waiting_is_said_once_for_each_time_the_box_fills():
    said = []
    mailbox = Mailbox(said.append)
    for _ in range(3):
        mailbox.post(RunStarted(0))
        mailbox.post(RunStarted(1))
        mailbox.drain()
    assert said == [False] * 3


def test_the_end_of_a_run_is_said_though_something_waits():
    said = []
    mailbox = Mailbox(said.append)
    mailbox.post(RunStarted(0))
    mailbox.post(RunFinished(0, EndReason.LENGTH, True))
    mailbox.post(RunFailed(1, "The disk is full.", ""))
    assert said == [False, True, True]


def test_a_full_box_makes_the_sender_wait_and_loses_nothing():
    waiting = threading.Event()
    mailbox = Mailbox(lambda _: waiting.set(), limit=2)
    thread = posted(mailbox, *range(50))
    got = []
    while len(got) < 50:
        assert waiting.wait(WAIT_S)
        waiting.clear()
        events = mailbox.drain()
        assert len(events) <= 2
        got += ids(events)
    thread.join(WAIT_S)
    assert got == list(range(50))


@pytest.mark.parametrize("how", ["give up", "close"])
def test_a_waiting_sender_can_be_let_go(how):
    give_up, full = threading.Event(), threading.Event()
    mailbox = Mailbox(lambda _: full.set(), limit=1)
    thread = posted(mailbox, 1, 2, give_up=give_up)
    assert full.wait(WAIT_S)
    if how == "close":
        mailbox.close()
    else:
        give_up.set()
        mailbox.wake()
    thread.join(WAIT_S)
    assert not thread.is_alive()
    assert ids(mailbox.drain()) == [1, 2]


def test_a_closed_box_tells_nobody():
    said = []
    mailbox = Mailbox(said.append)
    mailbox.close()
    mailbox.post(RunStarted(1))
    assert said == []
    assert ids(mailbox.drain()) == [1]
