import pytest
from hand_made import hand_made_trace
from lesson_text import small_lesson, small_traces

from kvviz.lessons.stage import cursor_of, stage_of
from kvviz.session.regions import Place
from kvviz.session.selection import Counted, GridMode


@pytest.mark.parametrize(
    ("place", "number", "cursor"),
    [
        (Place.START, 1, -1),
        (Place.PREFILL, 1, 2),
        (Place.PREFILL, 2, None),
        (Place.DECODE, 1, 3),
        (Place.DECODE, 3, 5),
        (Place.DECODE, 99, None),
        (Place.END, 1, 5),
    ],
)
def test_a_place_is_a_step_of_the_run(place, number, cursor):
    trace = hand_made_trace(prompt_tokens=6, new_tokens=4, chunk=2)
    assert cursor_of(trace, place, number) == cursor


def test_nothing_has_an_end_yet():
    empty = hand_made_trace(steps=0)
    assert cursor_of(empty, Place.END) is None
    assert cursor_of(empty, Place.START) == -1


def test_a_stage_is_what_the_step_says():
    stage = stage_of(small_lesson(), 2, small_traces())
    assert stage.cursor == 3
    assert stage.selection.layer == 3
    assert stage.selection.head == 1
    assert stage.selection.mode is GridMode.WEIGHTS
    assert stage.selection.counted is Counted.POSITIONS
    assert stage.selection.cell == (8, 0)
    assert stage.moment is not None
    assert stage.moment.reference is not None


def test_before_the_run_is_there_nothing_is_known():
    stage = stage_of(small_lesson(), 2, {})
    assert stage.cursor is None
    assert stage.moment is None


def test_a_run_on_its_way_is_waited_for():
    traces = small_traces() | {"main": hand_made_trace(prompt_tokens=6, new_tokens=8, steps=2)}
    assert stage_of(small_lesson(), 1, traces).cursor == 0
    assert stage_of(small_lesson(), 2, traces).moment is None


def test_the_same_step_is_the_same_whatever_came_before():
    lesson, traces = small_lesson(), small_traces()
    once = [stage_of(lesson, index, traces) for index in range(4)]
    again = [stage_of(lesson, index, traces) for index in reversed(range(4))]
    assert once == list(reversed(again))
