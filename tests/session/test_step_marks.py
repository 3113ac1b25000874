from plain_trace import add_step, other_bytes, plain_trace

from kvviz.session.step_marks import StepMarks
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.step import Phase


def test_marks_say_what_each_step_was():
    marks = StepMarks(plain_trace((4, 2), 3))
    assert marks.decode.tolist() == [False, False, True, True, True]
    assert marks.chose.tolist() == [False, True, True, True, True]
    assert marks.chosen(-1) == 0
    assert marks.chosen(2) == 2


def test_marks_grow_with_the_trace():
    trace = plain_trace(decodes=3)
    marks = StepMarks(trace)
    for _ in range(40):
        add_step(trace, Phase.DECODE, 1, True)
    assert len(marks.decode) == 4
    marks.follow()
    assert len(marks.decode) == len(trace) == 44
    assert marks.decode[1:].all()
    assert marks.chosen(43) == 44


def test_prefill_stands_apart_from_decode_up_to_a_step():
    trace = plain_trace((4, 2), 3, latencies=(50, 40, 3, 2, 1))
    marks = StepMarks(trace)
    add_step(trace, Phase.PREFILL, 2, True, (0,) * 5 + (30,))
    marks.follow()
    prefill, decode = marks.prefill_points(5), marks.decode_points(5)
    assert prefill.steps.tolist() == [0, 1, 5]
    assert prefill.latency_ns.tolist() == [50, 40, 30]
    assert decode.steps.tolist() == [2, 3, 4]
    assert decode.latency_ns.tolist() == [3, 2, 1]
    assert decode.tokens.tolist() == [7, 8, 9]
    assert decode.used.tolist() == [step.measured.used for step in trace.steps[2:5]]
    assert marks.decode_points(2).latency_ns.tolist() == [3]
    assert marks.prefill_points(-1).steps.size == 0


def test_steps_that_held_more_for_a_moment_are_told():
    trace = plain_trace(decodes=3)
    add_step(trace, Phase.DECODE, 1, True, measured=other_bytes(0))
    concat = plain_trace(decodes=3, layout=LayoutKind.CONCAT)
    assert StepMarks(trace).doubled_points(9).steps.size == 0
    doubled = StepMarks(concat).doubled_points(9)
    assert doubled.steps.tolist() == [1, 2, 3]
    assert doubled.peak.tolist() == [step.measured.peak for step in concat.steps[1:]]
