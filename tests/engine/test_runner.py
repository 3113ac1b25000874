import threading
import weakref
from contextlib import contextmanager

import pytest
import torch
from engine_runs import chosen, config_of, run, shape_of

from kvviz.engine.load import load_model
from kvviz.engine.mailbox import Mailbox
from kvviz.engine.runner import Runner
from kvviz.sizing.cost import MEMORY_SHARE_PERCENT
from kvviz.sizing.layout import LayoutKind
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

WAIT_S = 20  # how long a test waits for what must happen; reached only where it fails


class Inbox:
    """A mailbox read by the test, which waits for an event instead of sleeping."""

    def __init__(self, limit=4096):
        self._arrived = threading.Event()
        self.mailbox = Mailbox(self._arrived.set, limit)
        self.events = []

    def take(self):
        self._arrived.clear()
        self.events += self.mailbox.drain()
        return self.events

    def until(self, kind, run_id=None):
        """Wait for an event of a kind (of a run) and return it."""
        while True:
            for event in self.take():
                if isinstance(event, kind) and run_id in (None, getattr(event, "run_id", None)):
                    return event
            assert self._arrived.wait(WAIT_S), f"no {kind} among {self.events}"

    def of(self, run_id):
        return [event for event in self.take() if getattr(event, "run_id", None) == run_id]

    def steps(self, run_id):
        return [
            (event.step, event.arrays)
            for event in self.of(run_id)
            if isinstance(event, StepFinished)
        ]


class Gate:
    """Loads models that wait, at one layer of one forward, until the test opens them."""

    def __init__(self, forward=0, layer=0):
        self.reached, self.open = threading.Event(), threading.Event()
        self.layers_seen = []
        self._forwards = -1
        self._forward, self._layer = forward, layer

    def load(self, spec, dtype, device, check):
        model = load_model(spec, dtype, device, check)
        plain = model.forward

        def forward(input_ids, past_kv, watch):
            self._forwards += 1
            this = self._forwards

            def gated(layer, *tensors):
                self.layers_seen.append(layer)
                if (this, layer) == (self._forward, self._layer):
                    self.reached.set()
                    assert self.open.wait(WAIT_S)
                watch(layer, *tensors)

            return plain(input_ids, past_kv, gated)

        model.forward = forward
        return model


@contextmanager
def running(inbox, **parts):
    """A runner on its thread, shut down and joined at the end."""
    runner = Runner(inbox.mailbox, **parts)
    thread = threading.Thread(target=runner.loop)
    thread.start()
    try:
        yield runner
    finally:
        runner.send(Shutdown())
        inbox.mailbox.close()
        thread.join(WAIT_S)
        assert not thread.is_alive()


def handled(*commands, **parts):
    """A runner that did the commands in this thread, without a limit; and what it posted."""
    inbox = Inbox()
    runner = Runner(inbox.mailbox, **parts)
    for command in commands:
        runner.allow(command.run_id, None)
        runner.handle(command)
    inbox.take()
    return runner, inbox


def kinds(events):
    return [type(event) for event in events]


def raising(error):
    def load(spec, dtype, device, check):
        raise error

    return load


def failing_at(forward, error):
    """Load models whose n-th forward raises."""

    def load(spec, dtype, device, check):
        model = load_model(spec, dtype, device, check)
        plain, calls = model.forward, []

        def forward_once(*args):
            calls.append(None)
            if len(calls) == forward + 1:
                raise error
            return plain(*args)

        model.forward = forward_once
        return model

    return load


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

    def load(spec, dtype, device, check):
        reached.set()
        assert go_on.wait(WAIT_S)
        check()
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


# Continue


def test_a_finished_run_goes_on_with_more_text():
    config = config_of(max_new_tokens=3)
    _, inbox = handled(StartRun(1, config), ContinueRun(1, 3, (9, 8, 7)))
    one = [RunStarted, *[StepFinished] * 3, RunFinished]
    assert kinds(inbox.events) == [ModelLoaded, *one, *one]
    ends = [event for event in inbox.events if isinstance(event, RunFinished)]
    assert [end.can_continue for end in ends] == [True, True]
    said = chosen(inbox.steps(1))
    again = run(config_of(prompt_ids=(*config.prompt_ids, *said[:3], 9, 8, 7), max_new_tokens=3))
    assert said[3:] == chosen(again)


def test_a_start_drops_the_run_that_was_kept():
    _, inbox = handled(StartRun(1, config_of()), StartRun(2, config_of()), ContinueRun(1, 2))
    assert isinstance(inbox.events[-1], RunFailed)
    assert "start the run again" in inbox.events[-1].message


def test_a_run_without_a_cache_leaves_the_kept_one_in_place():
    naive = config_of(LayoutKind.NONE)
    _, inbox = handled(StartRun(1, config_of()), StartRun(2, naive), ContinueRun(1, 2))
    assert inbox.of(2)[-1] == RunFinished(2, EndReason.LENGTH, can_continue=False)
    assert inbox.of(1)[-1] == RunFinished(1, EndReason.LENGTH, can_continue=True)
    assert len(inbox.steps(1)) == 8


def test_a_run_without_a_cache_is_kept_where_none_was():
    naive = config_of(LayoutKind.NONE)
    _, inbox = handled(StartRun(1, naive), ContinueRun(1, 2))
    assert inbox.of(1)[-1] == RunFinished(1, EndReason.LENGTH, can_continue=True)


def test_a_run_without_a_cache_on_another_model_drops_the_kept_one():
    """Two models never stand in memory."""
    naive = config_of(LayoutKind.NONE, seed=1)
    _, inbox = handled(StartRun(1, config_of()), StartRun(2, naive), ContinueRun(2, 1))
    assert inbox.of(2)[-1] == RunFinished(2, EndReason.LENGTH, can_continue=True)


def test_a_refused_continuation_can_be_tried_again():
    _, inbox = handled(StartRun(1, config_of()), ContinueRun(1, 999), ContinueRun(1, 1))
    assert "over the sequence limit of 40" in inbox.of(1)[-4].message
    assert inbox.of(1)[-1] == RunFinished(1, EndReason.LENGTH, can_continue=True)


# Errors


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("odd"), "The run stopped while loading the model, ValueError: odd"),
        (MemoryError(), "Out of memory while loading the model"),
        (SystemExit(3), "The run stopped while loading the model, SystemExit: 3"),
    ],
)
def test_a_load_that_fails_ends_the_run(error, message):
    _, inbox = handled(StartRun(1, config_of()), load=raising(error))
    assert inbox.events[-1].message.startswith(message)
    assert "Traceback" in inbox.events[-1].detail


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("odd"), "The run stopped at step 2, ValueError: odd"),
        (MemoryError(), "Out of memory at step 2"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), "Out of memory at step 2"),
        (torch.OutOfMemoryError("CUDA"), "Out of memory at step 2"),
        (KeyboardInterrupt(), "The run stopped at step 2, KeyboardInterrupt"),
        (GeneratorExit(), "The run stopped at step 2, GeneratorExit"),
        (StopIteration(), "The run stopped at step 2, RuntimeError"),
    ],
)
def test_a_model_that_raises_ends_the_run_and_not_the_thread(error, message):
    inbox, raise_in = Inbox(), failing_at(2, error)
    with running(inbox, load=raise_in) as runner:
        runner.allow(1, None)
        runner.send(StartRun(1, config_of()))
        failed = inbox.until(RunFailed)
        assert failed.message.startswith(message)
        assert "\n" not in failed.message
        assert "Traceback" in failed.detail
        assert [step.index for step, _ in inbox.steps(1)] == [0, 1]
        runner.send(ContinueRun(1, 1))
        while len([e for e in inbox.take() if isinstance(e, RunFailed)]) < 2:
            assert inbox._arrived.wait(WAIT_S)
        runner.allow(2, None)
        runner.send(StartRun(2, config_of()))
        assert inbox.until(RunFinished, 2).reason is EndReason.LENGTH


def test_logits_that_are_no_numbers_are_one_sentence_without_a_traceback():
    def load(*args):
        model = load_model(*args)
        model.lm_head.weight.fill_(float("inf"))
        return model

    _, inbox = handled(StartRun(1, config_of()), load=load)
    assert "logits are not finite" in inbox.events[-1].message
    assert inbox.events[-1].detail == ""


def test_a_device_that_is_not_here_is_refused():
    _, inbox = handled(StartRun(1, config_of(device="abacus")))
    (failed,) = inbox.events
    assert failed.message.startswith("Device 'abacus' is not here: choose cpu")


# Memory


def test_a_run_too_big_is_refused_before_anything_is_built():
    _, inbox = handled(StartRun(1, config_of()), load=raising(AssertionError), free_bytes=lambda: 9)
    (failed,) = inbox.events
    assert failed.message.startswith("This run would take")
    assert failed.detail == ""


def test_a_refusal_loses_nothing_that_was_there():
    free = [10**9]
    inbox = Inbox()
    runner = Runner(inbox.mailbox, free_bytes=lambda: free[0])
    for run_id in (1, 2):
        runner.allow(run_id, None)
    runner.handle(StartRun(1, config_of()))
    free[0] = 0
    runner.handle(StartRun(2, config_of(seed=1, max_seq_len=4000)))
    assert isinstance(inbox.of(2)[-1], RunFailed)
    runner.handle(ContinueRun(1, 1))
    assert inbox.of(1)[-1] == RunFinished(1, EndReason.LENGTH, can_continue=True)


def test_what_a_start_would_drop_counts_as_free():
    config, free = config_of(), [10**9]
    inbox = Inbox()
    runner = Runner(inbox.mailbox, free_bytes=lambda: free[0])
    runner.allow(1, None)
    runner.handle(StartRun(1, config))
    cost = config.cost
    needed = -(-cost.total * 100 // MEMORY_SHARE_PERCENT)
    held = cost.weights + cost.cache
    for run_id, missing in ((2, 0), (3, 1)):
        free[0] = needed - held - missing
        runner.allow(run_id, None)
        runner.handle(StartRun(run_id, config_of(seed=run_id)))
    assert isinstance(inbox.of(2)[-1], RunFinished)
    assert isinstance(inbox.of(3)[-1], RunFailed)
