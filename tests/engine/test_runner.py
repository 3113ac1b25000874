import threading
import weakref

import torch
from engine_runs import chosen, config_of, run, shape_of
from runner_stand import WAIT_S, Gate, Inbox, handled, kinds, running

from kvviz.engine.load import load_model
from kvviz.trace.messages import (
    ContinueRun,
    EndReason,
    ModelLoaded,
    RunFailed,
    RunFinished,
    RunStarted,
    Shutdown,
    StartRun,
    StepFinished,
    WorkerReady,
)

# A run, from its start to its end


def test_a_run_posts_what_happened_in_order():
    config = config_of()
    _, inbox = handled(StartRun(1, config))
    assert kinds(inbox.events) == [ModelLoaded, RunStarted, *[StepFinished] * 6, RunFinished]
    assert inbox.events[0].weight_bytes == 4 * config.model.shape.num_parameters
    assert inbox.events[-1] == RunFinished(1, EndReason.LENGTH, can_continue=True)
    assert chosen(inbox.steps(1)) == chosen(run(config))


def test_the_thread_says_that_it_is_ready_and_what_with():
    inbox = Inbox()
    with running(inbox):
        ready = inbox.until(WorkerReady)
    assert ready.devices[0] == "cpu"
    assert ready.torch_version == torch.__version__
    assert ready.num_threads >= 1


def test_the_thread_computes_what_this_one_does():
    inbox, config = Inbox(), config_of()
    with running(inbox) as runner:
        runner.allow(1, None)
        runner.send(StartRun(1, config))
        inbox.until(RunFinished)
    assert chosen(inbox.steps(1)) == chosen(run(config))


def test_the_same_model_again_is_not_loaded_again():
    loads = []

    def load(spec, *rest):
        loads.append(spec)
        return load_model(spec, *rest)

    config, other = config_of(), config_of(seed=1)
    commands = [StartRun(i, c) for i, c in enumerate([config, config, other, other, config])]
    handled(*commands, load=load)
    assert loads == [config.model, other.model, config.model]


def test_the_old_model_is_gone_before_the_new_one_is_built():
    models = []

    def load(*args):
        assert all(ref() is None for ref in models)
        model = load_model(*args)
        models.append(weakref.ref(model))
        return model

    _, inbox = handled(*(StartRun(i, config_of(seed=i)) for i in range(3)), load=load)
    assert len(models) == 3
    assert not [event for event in inbox.events if isinstance(event, RunFailed)]


# Credit


def test_a_run_computes_as_many_steps_as_it_may():
    inbox = Inbox()
    with running(inbox) as runner:
        runner.send(StartRun(1, config_of()))
        inbox.until(RunStarted)
        for allowed in (1, 3, 6):
            runner.allow(1, allowed)
            while len(inbox.steps(1)) < allowed:
                inbox.until(StepFinished)
        assert inbox.until(RunFinished).reason is EndReason.LENGTH
    assert [step.index for step, _ in inbox.steps(1)] == list(range(6))


def test_without_credit_nothing_is_computed():
    gate, inbox = Gate(), Inbox()
    with running(inbox, load=gate.load) as runner:
        runner.send(StartRun(1, config_of()))
        inbox.until(RunStarted)
        runner.cancel(1)
        assert inbox.until(RunFinished).reason is EndReason.CANCELLED
    assert gate.layers_seen == []


def test_credit_may_be_given_before_the_run():
    inbox = Inbox()
    with running(inbox) as runner:
        runner.allow(1, 2)
        runner.send(StartRun(1, config_of(max_new_tokens=2)))
        inbox.until(RunFinished)
    assert len(inbox.steps(1)) == 2


def test_credit_of_a_continued_run_counts_all_its_steps():
    inbox = Inbox()
    with running(inbox) as runner:
        runner.allow(1, 3)
        runner.send(StartRun(1, config_of(max_new_tokens=2)))
        inbox.until(RunFinished)
        runner.send(ContinueRun(1, 5))
        while len(inbox.steps(1)) < 3:
            inbox.until(StepFinished)
        runner.cancel(1)
        while len(finished := [e for e in inbox.take() if isinstance(e, RunFinished)]) < 2:
            assert inbox._arrived.wait(WAIT_S)
    assert finished[1].reason is EndReason.CANCELLED
    assert len(inbox.steps(1)) == 3


# Cancel


def test_a_cancel_in_mid_step_ends_within_that_layer():
    gate, inbox = Gate(forward=1, layer=0), Inbox()
    with running(inbox, load=gate.load) as runner:
        runner.allow(1, None)
        runner.send(StartRun(1, config_of(shape=shape_of(layers=6))))
        assert gate.reached.wait(WAIT_S)
        runner.cancel(1)
        gate.open.set()
        assert inbox.until(RunFinished) == RunFinished(1, EndReason.CANCELLED, can_continue=False)
        assert gate.layers_seen == [0, 1, 2, 3, 4, 5, 0]
        assert len(inbox.steps(1)) == 1
        runner.send(ContinueRun(1, 1))
        assert "no longer kept" in inbox.until(RunFailed).message


def test_a_cancel_while_the_model_is_built_ends_the_load():
    reached, go_on, inbox = threading.Event(), threading.Event(), Inbox()

    def load(spec, dtype, device, watch):
        reached.set()
        assert go_on.wait(WAIT_S)
        watch.progress(0, 0)
        raise AssertionError("the load was not stopped")

    with running(inbox, load=load) as runner:
        runner.send(StartRun(1, config_of()))
        assert reached.wait(WAIT_S)
        runner.cancel(1)
        go_on.set()
        assert inbox.until(RunFinished).reason is EndReason.CANCELLED
    assert not inbox.steps(1)


def test_a_start_cancels_the_run_in_progress():
    gate, inbox = Gate(), Inbox()
    with running(inbox, load=gate.load) as runner:
        runner.allow(1, None)
        runner.allow(2, None)
        runner.send(StartRun(1, config_of()))
        assert gate.reached.wait(WAIT_S)
        runner.send(StartRun(2, config_of()))
        gate.open.set()
        assert inbox.until(RunFinished, 1).reason is EndReason.CANCELLED
        assert inbox.until(RunFinished, 2).reason is EndReason.LENGTH


def test_of_twenty_starts_only_the_newest_runs():
    gate, inbox = Gate(), Inbox()
    with running(inbox, load=gate.load) as runner:
        for run_id in range(20):
            runner.allow(run_id, None)
        runner.send(StartRun(0, config_of()))
        assert gate.reached.wait(WAIT_S)
        for run_id in range(1, 20):
            runner.send(StartRun(run_id, config_of()))
        gate.open.set()
        inbox.until(RunFinished, 19)
    ends = [event for event in inbox.events if isinstance(event, RunFinished)]
    assert [end.run_id for end in ends] == list(range(20))
    assert {end.reason for end in ends[:19]} == {EndReason.CANCELLED}
    assert ends[19].reason is EndReason.LENGTH
    assert all(len(inbox.steps(run_id)) == 0 for run_id in range(19))


def test_cancelling_a_run_that_is_not_there_does_nothing():
    inbox = Inbox()
    with running(inbox) as runner:
        runner.cancel(7)
        runner.allow(1, None)
        runner.send(StartRun(1, config_of()))
        assert inbox.until(RunFinished).reason is EndReason.LENGTH


# Shutdown


def test_a_shutdown_ends_the_thread_within_a_layer():
    gate, inbox = Gate(), Inbox()
    with running(inbox, load=gate.load) as runner:
        runner.allow(1, None)
        runner.send(StartRun(1, config_of(shape=shape_of(layers=6))))
        assert gate.reached.wait(WAIT_S)
        runner.send(Shutdown())
        gate.open.set()
    assert gate.layers_seen == [0]


def test_a_shutdown_ends_a_wait_for_credit_and_what_is_queued():
    inbox = Inbox()
    with running(inbox) as runner:
        runner.send(StartRun(1, config_of()))
        inbox.until(RunStarted)
        runner.send(StartRun(2, config_of()))
        runner.send(Shutdown())
        runner.send(StartRun(3, config_of()))
        inbox.until(RunFinished, 2)
    reasons = {e.run_id: e.reason for e in inbox.take() if isinstance(e, RunFinished)}
    assert reasons == {1: EndReason.CANCELLED, 2: EndReason.CANCELLED}


def test_a_shutdown_ends_a_wait_for_room_in_a_full_mailbox():
    inbox = Inbox(limit=4)
    with running(inbox) as runner:
        runner.allow(1, None)
        runner.send(StartRun(1, config_of()))
        assert inbox._arrived.wait(WAIT_S)
        runner.send(Shutdown())
    assert inbox.of(1)[-1].reason in (EndReason.CANCELLED, EndReason.LENGTH)


def test_starting_and_stopping_leaves_no_thread():
    before = threading.active_count()
    for _ in range(20):
        inbox = Inbox()
        with running(inbox) as runner:
            runner.send(StartRun(1, config_of()))
    assert threading.active_count() == before
