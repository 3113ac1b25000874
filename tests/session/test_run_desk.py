from dataclasses import replace

import pytest
from real_run import real_trace, small_config
from worker_port import Port

from kvviz.session.run_desk import RunDesk
from kvviz.session.runs import MOST_RUNS, RunState
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.messages import (
    ContinueRun,
    EndReason,
    ReleaseRun,
    RunFailed,
    RunFinished,
    RunStarted,
    StartRun,
)


@pytest.fixture
def port():
    return Port()


@pytest.fixture
def desk(port):
    return RunDesk(port)


def start(desk, kind=LayoutKind.PREALLOCATED, *, show=True):
    config = small_config(kind)
    return desk.start(config, tuple("abcde"), show=show)


def finish(desk, run, can_continue=True):
    desk.file(RunStarted(run.run_id))
    desk.file(RunFinished(run.run_id, EndReason.LENGTH, can_continue))


def test_credit_is_passed_on_once_and_only_limits_the_run_on_screen(desk, port):
    run = start(desk)
    assert port.sent == [StartRun(run.run_id, run.config)]
    desk.grant(1)
    desk.grant(1)
    desk.grant(2)
    assert port.allowed == [(run.run_id, 1), (run.run_id, 2)]
    finish(desk, run)
    hidden = start(desk, LayoutKind.NONE, show=False)
    desk.grant(3)
    assert port.allowed[-1] == (hidden.run_id, None)


def test_a_run_with_a_cache_releases_the_one_before(desk):
    first = start(desk)
    finish(desk, first)
    assert first.can_continue
    start(desk, LayoutKind.NONE, show=False)
    assert first.can_continue
    start(desk)
    assert not first.can_continue


def test_a_run_is_released_once_and_stays_in_the_list(desk, port):
    run = start(desk)
    finish(desk, run)
    desk.release(run)
    desk.release(run)
    assert port.sent == [StartRun(run.run_id, run.config), ReleaseRun(run.run_id)]
    assert desk.runs.shown is run
    assert not run.can_continue
    assert not run.bytes_held


def test_what_was_given_back_by_hand_is_gone_at_the_end_of_its_run(desk):
    run, sharing = start(desk), desk.adopt(real_trace(small_config(LayoutKind.PAGED)))
    run.trace = real_trace(run.config)
    finish(desk, run)
    desk.drop_pool()
    assert not run.given_back
    desk.release(run)
    end = len(run.trace) - 1
    assert [run.gone_at(index) for index in (-1, 0, end)] == [False, False, True]
    assert not sharing.gone_at(len(sharing.trace) - 1)
    sharing.trace.config = replace(sharing.config, shares_pool=True)
    desk.drop_pool()
    assert sharing.gone_at(len(sharing.trace) - 1)


def test_continuing_plans_more_and_never_passes_the_limit(desk, port):
    run = start(desk)
    trace = real_trace(run.config)
    run.trace = trace
    finish(desk, run)
    known = len(trace.tokens)
    desk.go_on(run, 3, (7, 8))
    assert run.planned_tokens == known + 5
    assert port.sent[-1] == ContinueRun(run.run_id, 3, (7, 8))
    finish(desk, run)
    with pytest.raises(InputError, match="sequence limit"):
        desk.go_on(run, 100, ())
    assert run.can_continue


def test_a_failure_ends_the_run_and_keeps_its_words(desk):
    run = start(desk)
    desk.file(RunFailed(run.run_id, "Out of memory at step 3.", ""))
    assert run.state is RunState.FAILED
    assert not run.live
    assert run.message == "Out of memory at step 3."


def test_an_event_of_a_run_that_is_gone_is_let_go(desk):
    run = start(desk)
    desk.runs.remove(run.run_id)
    assert desk.file(RunStarted(run.run_id)) is None


def test_the_list_keeps_ten_and_never_loses_shown_or_reference(desk):
    first = start(desk)
    desk.runs.reference_id = first.run_id
    for _ in range(MOST_RUNS + 3):
        newest = start(desk)
    assert len(desk.runs.runs) == MOST_RUNS
    assert desk.runs.reference is first
    assert desk.runs.shown is newest


def test_a_finished_run_outlives_those_that_were_cut_short(desk):
    first = start(desk)
    finish(desk, first)
    for _ in range(MOST_RUNS + 3):
        newest = start(desk)
    assert desk.runs.runs[0] is first
    assert desk.runs.runs[-1] is newest


@pytest.mark.parametrize("role", ["none", "shown", "reference"])
def test_a_run_cancelled_before_its_first_step_leaves_the_list(desk, role):
    run = start(desk)
    if role != "shown":
        start(desk)
    if role == "reference":
        desk.runs.reference_id = run.run_id
    assert desk.file(RunFinished(run.run_id, EndReason.CANCELLED, False)) is run
    assert (desk.runs.find(run.run_id) is run) == (role != "none")


def test_removing_the_shown_run_shows_its_neighbour(desk):
    first, second = start(desk), start(desk)
    desk.runs.remove(second.run_id)
    assert desk.runs.shown is first
    desk.runs.remove(first.run_id)
    assert desk.runs.shown is None


def test_a_trace_from_a_file_is_shown_as_finished(desk):
    trace = real_trace(small_config())
    run = desk.adopt(trace)
    assert desk.runs.shown is run
    assert not run.live
    assert len(run.prompt_pieces) == 5
    assert run.planned_rows == trace.seq_len


def test_a_live_run_that_makes_room_is_ended(desk, port):
    live = start(desk, show=False)
    trace = real_trace(small_config())
    for _ in range(MOST_RUNS):
        desk.adopt(trace)
    assert live not in desk.runs.runs
    assert port.cancelled == [live.run_id]
