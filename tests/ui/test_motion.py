import pytest

from kvviz.ui.lessons import motion
from kvviz.ui.lessons.motion import LONGEST_S, READ_S, STEP_S, Motion


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(motion, "perf_counter", lambda: now[0])
    return now


@pytest.fixture
def moving(qapp, clock):
    moving = Motion()
    moving.places, moving.rests = [], []
    moving.moved.connect(moving.places.append)
    moving.rested.connect(lambda: moving.rests.append(len(moving.places)))
    yield moving
    moving.stop()


def test_text_first_then_steps_then_rest(moving, clock):
    moving.begin(2, 5)
    moving._on_time()
    assert moving.places == []
    for _ in range(4):
        clock[0] += max(READ_S, STEP_S) if not moving.places else STEP_S
        moving._on_time()
    assert moving.places == [3, 4, 5]
    assert moving.rests == [3]
    assert not moving.moving


def test_a_long_way_takes_no_longer(moving, clock):
    moving.begin(-1, 500)
    clock[0] += READ_S + LONGEST_S
    moving._on_time()
    assert moving.places == [500]
    assert not moving.moving


def test_no_way_rests_at_once(moving):
    moving.begin(3, 3)
    assert moving.places == []
    assert moving.rests == [0]


def test_it_can_be_brought_to_its_end(moving):
    moving.begin(0, 9)
    moving.finish()
    moving.finish()
    assert moving.places == [9]
    assert moving.rests == [1]


def test_stopped_it_says_nothing_more(moving):
    moving.begin(0, 9)
    moving.stop()
    moving.finish()
    assert moving.places == moving.rests == []
