"""A comparison in the run list: who runs when, what makes room, what is released."""

import pytest
from real_run import small_config
from worker_port import Port

from kvviz.session.run_desk import RunDesk
from kvviz.session.runs import MOST_RUNS, RunState
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.messages import (
    EndReason,
    ReleaseRun,
    RunFailed,
    RunFinished,
    RunStarted,
)

KINDS = (LayoutKind.NONE, LayoutKind.CONCAT, LayoutKind.PAGED)


@pytest.fixture
def port():
    return Port()


@pytest.fixture
def desk(port):
    return RunDesk(port)


def compare(desk, kinds=KINDS):
    desk.compare([small_config(kind) for kind in kinds], tuple("abcde"))
    return desk.runs.compared


def start(desk):
    return desk.start(small_config(), tuple("abcde"), show=True)


def finish(desk, run, reason=EndReason.LENGTH, can_continue=True):
    desk.file(RunStarted(run.run_id))
    desk.file(RunFinished(run.run_id, reason, can_continue))


def states(runs):
    return [run.state.value for run in runs]


def test_layouts_run_one_after_another_and_the_first_is_first(desk, port):
    runs = compare(desk)
    assert [run.config.layout.kind for run in runs] == list(KINDS)
    assert states(runs) == ["loading", "waiting", "waiting"]
    for run in runs:
        assert port.started[-1] == run.run_id
        assert desk.runs.comparing
        finish(desk, run)
    assert port.started == [run.run_id for run in runs]
    assert states(runs) == ["finished"] * 3
    assert not desk.runs.comparing


def test_a_compared_run_has_no_limit_even_on_screen(desk, port):
    runs = compare(desk)
    desk.runs.shown_id = runs[0].run_id
    assert desk.grant(3)
    assert port.allowed == [(runs[0].run_id, None)]


def test_one_that_fails_does_not_hold_the_others_up(desk, port):
    runs = compare(desk)
    desk.file(RunFailed(runs[0].run_id, "Out of memory at step 3.", ""))
    assert states(runs) == ["failed", "loading", "waiting"]


def test_stop_ends_the_whole_comparison(desk, port):
    runs = compare(desk)
    finish(desk, runs[0])
    desk.cancel_live()
    assert port.cancelled == [runs[1].run_id]
    finish(desk, runs[1], EndReason.CANCELLED, can_continue=False)
    assert states(runs) == ["finished", "cancelled", "cancelled"]
    assert port.started == [run.run_id for run in runs[:2]]


def test_a_run_started_meanwhile_ends_the_comparison_and_takes_the_screen(desk, port):
    runs = compare(desk)
    other = start(desk)
    finish(desk, runs[0], EndReason.CANCELLED, can_continue=False)
    assert states(runs) == ["cancelled"] * 3
    assert desk.runs.compared == ()
    assert desk.runs.live is other
    assert port.started == [runs[0].run_id, other.run_id]
    assert set(runs) <= set(desk.runs.runs)


def test_a_second_comparison_ends_the_first(desk, port):
    first = compare(desk)
    second = compare(desk)
    assert states(first) == ["loading", "cancelled", "cancelled"]
    finish(desk, first[0], EndReason.CANCELLED, can_continue=False)
    assert states(second) == ["loading", "waiting", "waiting"]
    finish(desk, second[0])
    assert port.started == [first[0].run_id, *(run.run_id for run in second[:2])]


def test_a_comparison_is_one_of_the_ten(desk):
    alone = [start(desk) for _ in range(MOST_RUNS - 1)]
    for run in alone:
        finish(desk, run)
    compared = compare(desk)
    assert set(alone) <= set(desk.runs.runs)
    assert len(desk.runs.entries) == MOST_RUNS
    for run in compared:
        finish(desk, run)
    for _ in range(2):
        finish(desk, start(desk))
    assert alone[0] not in desk.runs.runs
    assert set(compared) <= set(desk.runs.runs)


def test_a_comparison_makes_room_as_a_whole(desk):
    compared = compare(desk)
    for run in compared:
        finish(desk, run)
    for _ in range(MOST_RUNS):
        finish(desk, start(desk))
    assert not set(compared) & set(desk.runs.runs)
    assert len(desk.runs.entries) == MOST_RUNS


def test_the_set_on_screen_never_makes_room(desk):
    compared = compare(desk)
    for _ in range(MOST_RUNS + 2):
        desk.start(small_config(), tuple("abcde"), show=False)
    assert desk.runs.compared == compared


def test_removing_one_removes_the_set_and_ends_what_is_going_on(desk, port):
    alone = start(desk)
    finish(desk, alone)
    runs = compare(desk)
    finish(desk, runs[0])
    desk.runs.shown_id = runs[0].run_id
    desk.remove(runs[2].run_id)
    assert port.cancelled == [runs[1].run_id]
    assert desk.runs.runs == [alone]
    assert desk.runs.shown is alone
    assert desk.runs.compared_id is None
    assert desk.file(RunFinished(runs[1].run_id, EndReason.CANCELLED, False)) is None


def test_what_a_removed_run_held_is_released(desk, port):
    run = start(desk)
    finish(desk, run)
    desk.remove(run.run_id)
    assert port.sent[-1] == ReleaseRun(run.run_id)
    other = start(desk)
    finish(desk, other, can_continue=False)
    desk.remove(other.run_id)
    assert ReleaseRun(other.run_id) not in port.sent


def test_only_the_newest_cache_is_held(desk):
    runs = compare(desk)
    for run in runs:
        finish(desk, run)
    assert [run.can_continue for run in runs] == [False, False, True]


def test_removing_nothing_changes_nothing(desk):
    run = start(desk)
    desk.remove(run.run_id + 1)
    assert desk.runs.runs == [run]
    assert run.state is RunState.LOADING


def test_a_set_is_never_taken_for_another(desk):
    first, second = compare(desk), compare(desk)
    assert desk.runs.set_of(None) == ()
    assert desk.runs.set_of(first[0].run_id) == first
    assert {run.set_id for run in second} == {second[0].run_id}
