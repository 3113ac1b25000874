from dataclasses import replace

import numpy as np
import pytest
from engine_runs import CPU, config_of
from runner_stand import handled

from kvviz.engine.shared_pool import SharedPool
from kvviz.sizing.errors import InputError
from kvviz.trace.messages import RunFailed, StartRun

FIRST, SECOND = (1, 2, 3, 4, 5, 6, 7), (1, 2, 3, 4, 9, 9, 7)


def sharing(ids, text="paged:2", **fields):
    return config_of(text, prompt_ids=ids, shares_pool=True, **fields)


def test_a_second_run_finds_the_prefix_of_the_first():
    _, inbox = handled(StartRun(1, sharing(FIRST)), StartRun(2, sharing(SECOND)))
    (first, _), (second, arrays) = inbox.steps(1)[0], inbox.steps(2)[0]
    assert (first.num_tokens_reused, first.num_tokens_fed) == (0, 7)
    assert (second.num_tokens_reused, second.num_tokens_fed) == (4, 3)
    # What was found was not computed, so there is no output to tell.
    assert not arrays.q[:, :, :4].any()
    assert np.isnan(arrays.out[:, :, :4]).all()
    assert np.isfinite(arrays.out[:, :, 4:]).all()
    assert not any(isinstance(event, RunFailed) for event in inbox.events)


def test_the_same_prompt_again_computes_its_last_block_alone():
    _, inbox = handled(StartRun(1, sharing(FIRST)), StartRun(2, sharing(FIRST)))
    step = inbox.steps(2)[0][0]
    assert (step.num_tokens_reused, step.num_tokens_fed) == (6, 1)
    said = [[step.token_id for step, _ in inbox.steps(run)] for run in (1, 2)]
    assert said[0] == said[1]


def test_a_run_that_does_not_share_finds_nothing():
    _, inbox = handled(StartRun(1, sharing(FIRST)), StartRun(2, config_of("paged:2")))
    assert inbox.steps(2)[0][0].prefix is None


@pytest.mark.parametrize(
    "change",
    [{"layout": sharing(FIRST, "paged:4").layout}, {"max_seq_len": 41}, {"batch": 2}],
    ids=str,
)
def test_other_settings_have_another_pool(change):
    pool, config = SharedPool(), sharing(FIRST)
    store = pool.store_for(config, CPU)
    assert pool.store_for(replace(config, prompt_ids=SECOND), CPU) is store
    assert pool.store_for(replace(config, **change), CPU) is not store
    pool.drop()
    assert pool.store_for(config, CPU) is not store


def test_only_pages_are_shared():
    with pytest.raises(InputError, match="A concat cache has no pool of blocks to share"):
        sharing(FIRST, "concat")
    assert SharedPool().store_for(config_of("paged:2"), CPU) is None
