import pytest
from plain_trace import add_step, plain_trace

from kvviz.session.progress import Place, place_of, total_steps
from kvviz.session.runs import Run, RunState
from kvviz.session.step_marks import StepMarks
from kvviz.trace.step import Phase
from kvviz.trace.trace import Trace


def run_of(trace, state=RunState.RUNNING, planned_tokens=30):
    return Run(1, trace, (), planned_tokens, state)


@pytest.mark.parametrize(
    ("chunks", "decodes", "prefill_chunk", "expected"),
    [((6,), 0, 0, 24), ((6,), 23, 0, 24), ((6,), 10, 0, 24), ((4, 2), 0, 4, 25)],
)
def test_steps_of_a_plan(chunks, decodes, prefill_chunk, expected):
    trace = plain_trace(chunks, decodes, prefill_chunk=prefill_chunk)
    assert total_steps(run_of(trace)) == expected
    assert total_steps(run_of(Trace(trace.config))) == expected


def test_a_run_that_ended_early_has_what_it_has():
    trace = plain_trace(decodes=9)
    assert total_steps(run_of(trace, RunState.FINISHED)) == 10
    assert total_steps(run_of(trace, RunState.CANCELLED)) == 24


def test_a_continued_plan_goes_on_from_what_is_recorded():
    assert total_steps(run_of(plain_trace(decodes=23), planned_tokens=40)) == 34


def test_places_count_each_phase_apart():
    trace = plain_trace((4, 2), 3, prefill_chunk=4)
    add_step(trace, Phase.PREFILL, 2, True)
    add_step(trace, Phase.DECODE, 1, True)
    run, marks = run_of(trace), StepMarks(trace)
    assert place_of(run, marks, -1) is None
    assert place_of(run, marks, 0) == Place(Phase.PREFILL, 1, 3)
    assert place_of(run, marks, 2) == Place(Phase.DECODE, 1, 21)
    assert place_of(run, marks, 5) == Place(Phase.PREFILL, 3, 3)
    assert place_of(run, marks, 6) == Place(Phase.DECODE, 4, 21)
    assert place_of(run, marks, 7) is None


def test_a_prefill_still_to_come_counts():
    trace = Trace(plain_trace((8,), prefill_chunk=4).config)
    add_step(trace, Phase.PREFILL, 4, False)
    assert place_of(run_of(trace), StepMarks(trace), 0) == Place(Phase.PREFILL, 1, 2)
