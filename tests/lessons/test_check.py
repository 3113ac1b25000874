from hand_made import hand_made_trace
from lesson_text import STEPS, small_lesson, small_traces

from kvviz.lessons.check import check_lesson


def found(old="", new="", traces=None):
    lesson = small_lesson(STEPS.replace(old, new, 1) if old else STEPS)
    return check_lesson(lesson, traces or small_traces())


def test_a_lesson_that_is_so():
    assert found() == []


def test_a_claim_that_does_not_hold():
    [problem] = found('"tokens_fed = 1"', '"tokens_fed = 2"')
    assert problem.startswith("a-small-one, step 3, line ")
    assert "'tokens_fed = 2' does not hold" in problem


def test_a_figure_without_a_value():
    assert "{tokens_fed} has no value here" in found("{prompt_tokens}", "{tokens_fed}")[0]


def test_a_place_the_run_does_not_come_to():
    assert "does not come to decode 30" in found("decode 3", "decode 30")[0]


def test_a_question_without_one_right_answer():
    assert "not exactly one of" in found('"{next_bytes_added}"]', '"{next_bytes_added * 2}"]')[0]
    assert "not exactly one of" in found("{next_bytes_added / 2}", "{next_bytes_added * 1}")[0]


def test_a_question_about_a_step_that_never_comes():
    [claim, question] = found(
        traces=small_traces() | {"main": hand_made_trace(prompt_tokens=6, new_tokens=8, steps=4)}
    )
    assert "a figure is missing" in claim
    assert "{next_bytes_added} has no value" in question


def test_a_cell_that_is_not_there():
    assert "cell (99, 0) is not computed yet" in found("[-1, 0]", "[99, 0]")[0]
    assert "a cell is pointed at and none is chosen" in found("cell = [-1, 0]", "")[0]
