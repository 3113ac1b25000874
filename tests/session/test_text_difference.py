from dataclasses import replace

from hand_made import hand_made_trace

from kvviz.session.comparison_table import ComparisonTable
from kvviz.session.runs import Run, RunState
from kvviz.session.text_difference import AFTER, BEFORE, text_difference


def run_of(run_id, changed=None, steps=None):
    trace = hand_made_trace(steps=steps)
    if changed is not None:
        step = trace.steps[changed]
        trace.steps[changed] = replace(step, token_id=step.token_id + 1, piece=" hat")
    return Run(run_id, trace, (), 30, RunState.FINISHED, set_id=1)


def difference(other):
    reference, table = run_of(1), ComparisonTable()
    table.follow((reference, other))
    pieces = [step.piece for step in reference.trace.steps]
    return text_difference(reference, table.rows[1]), pieces


def test_both_go_on_from_the_first_token_that_differs():
    found, pieces = difference(run_of(2, changed=8))
    assert found.place == 9
    assert found.shared == tuple(pieces[8 - BEFORE : 8])
    assert (found.own, found.theirs) == (" hat", pieces[8])
    assert found.own_after == found.theirs_after == tuple(pieces[9 : 9 + AFTER])


def test_the_first_token_of_all_shares_nothing():
    found, _ = difference(run_of(2, changed=0))
    assert (found.place, found.shared) == (1, ())


def test_one_that_ended_earlier_has_nothing_to_say_there():
    found, pieces = difference(run_of(2, steps=5))
    assert found.own is None
    assert found.own_after == ()
    assert found.theirs == pieces[5]


def test_the_same_text_differs_nowhere():
    found, _ = difference(run_of(2))
    assert found is None
