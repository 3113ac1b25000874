import weakref

import pytest
import torch
from engine_runs import chosen, config_of, run
from runner_stand import WAIT_S, Inbox, failing_at, handled, kinds, raising, running

from kvviz.engine.load import load_model
from kvviz.engine.runner import Runner
from kvviz.sizing.cost import MEMORY_SHARE_PERCENT
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.messages import (
    ContinueRun,
    EndReason,
    ModelLoaded,
    ReleaseRun,
    RunFailed,
    RunFinished,
    RunStarted,
    StartRun,
    StepFinished,
)

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


# Release


def test_a_finished_run_gives_its_cache_back_when_it_is_told_to():
    runner, inbox = handled(StartRun(1, config_of()), ReleaseRun(2))
    generation = runner._kept[1]
    cache = weakref.ref(generation._cache)
    assert generation.bytes_reserved > 0
    runner.handle(ReleaseRun(1))
    assert cache() is None
    assert generation.bytes_reserved == 0
    runner.handle(ContinueRun(1, 2))
    assert "start the run again" in inbox.take()[-1].message


def test_a_release_ends_no_run_in_progress():
    inbox = Inbox()
    with running(inbox) as runner:
        runner.send(StartRun(1, config_of()))
        runner.send(ReleaseRun(9))
        runner.allow(1, None)
        assert inbox.until(RunFinished, 1).reason is EndReason.LENGTH
