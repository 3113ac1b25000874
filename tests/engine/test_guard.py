import os
import threading

import pytest

from kvviz.engine.guard import Guard, RejectedError


def fail(error):
    raise error


def test_the_value_comes_back():
    assert Guard().call(lambda: 3) == 3


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, BaseException])
def test_whatever_is_raised_is_one_line(error):
    with pytest.raises(RejectedError, match=r"^two lines$"):
        Guard().call(lambda: fail(error("two\nlines.")))


def test_a_call_that_does_not_end_blocks_the_next_until_it_does():
    gate, guard = threading.Event(), Guard()
    with pytest.raises(TimeoutError):
        guard.call(gate.wait, 0.01)
    assert guard.is_stuck
    with pytest.raises(TimeoutError):
        guard.call(lambda: 1)
    gate.set()
    for thread in threading.enumerate():
        if thread.name == "guarded":
            thread.join(20)
    assert guard.call(lambda: 1) == 1


def test_what_is_printed_meanwhile_is_lost_and_nothing_afterwards(capfd):
    def chat():
        os.write(2, b"panicked")
        Guard().call(lambda: os.write(2, b"panicked again"))
        os.write(2, b"and again")

    Guard().call(chat)
    os.write(2, b"heard")
    assert capfd.readouterr().err == "heard"


def test_without_an_error_stream_calls_are_made(monkeypatch):
    monkeypatch.setattr(os, "dup", lambda _: fail(OSError()))
    assert Guard().call(lambda: 3) == 3
