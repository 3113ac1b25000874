from dataclasses import replace

from engine_runs import config_of
from runner_stand import Inbox, handled

from kvviz.engine.runner import Runner
from kvviz.trace.messages import ContinueRun, DropPool, PoolKept, RunFailed, StartRun

IDS = (1, 2, 3, 4, 5, 6, 7)


def sharing(ids=IDS):
    return config_of("paged:2", prompt_ids=ids, shares_pool=True)


def done(*commands):
    inbox = Inbox()
    runner = Runner(inbox.mailbox)
    for command in commands:
        if isinstance(command, StartRun):
            runner.allow(command.run_id, None)
        runner.handle(command)
    inbox.take()
    return inbox


def kept(inbox):
    return [event for event in inbox.events if isinstance(event, PoolKept)]


def test_a_pool_that_is_kept_is_told_with_its_tensors_bytes():
    inbox = done(StartRun(1, sharing()))
    assert kept(inbox) == [PoolKept(inbox.steps(1)[0][0].measured.pool)]


def test_a_run_without_one_leaves_it_where_it_is_and_says_nothing():
    inbox = done(StartRun(1, sharing()), StartRun(2, config_of("concat")), StartRun(3, sharing()))
    assert len(kept(inbox)) == 2
    assert inbox.steps(3)[0][0].num_tokens_reused == 6


def test_dropped_every_tensor_is_gone_though_a_run_was_kept_in_it():
    inbox = done(StartRun(1, sharing()), DropPool())
    before, after = kept(inbox)
    assert (after.num_bytes, after.given_back) == (0, before.num_bytes)


def test_what_was_dropped_is_not_found_and_not_continued():
    inbox = done(StartRun(1, sharing()), DropPool(), ContinueRun(1, 4), StartRun(2, sharing()))
    [failed] = [event for event in inbox.events if isinstance(event, RunFailed)]
    assert "no longer kept" in failed.message
    assert inbox.steps(2)[0][0].num_tokens_reused == 0


def test_there_may_be_nothing_to_drop():
    assert kept(done(DropPool())) == [PoolKept(0)]


def test_a_pool_that_is_there_is_not_counted_twice():
    config = sharing()
    [pool] = kept(done(StartRun(1, config)))
    needed = -(-4 * replace(config.cost, weights=0).total // 3)  # of which three quarters count
    free = iter([2**30, needed - pool.num_bytes])
    _, inbox = handled(StartRun(1, config), StartRun(2, config), free_bytes=lambda: next(free))
    assert inbox.steps(2)


def test_blocks_of_a_kept_run_are_the_pools_and_free_nothing():
    config = sharing()
    free = iter([2**30, 1000])
    _, inbox = handled(
        StartRun(1, config), StartRun(2, config_of("concat")), free_bytes=lambda: next(free)
    )
    assert "free" in next(e for e in inbox.events if isinstance(e, RunFailed)).message
