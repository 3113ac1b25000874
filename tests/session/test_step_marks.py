from plain_trace import add_step, plain_trace

from kvviz.session.step_marks import StepMarks
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
