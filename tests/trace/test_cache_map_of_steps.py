"""The map folded from events is the pool's own, at every step."""

import pytest
from engine_runs import CPU, config_of, generation_of, model_of, run, shape_of

from kvviz.cache.build import build_store
from kvviz.sizing.blocks import BlockChange, Miss
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.cache_map import BlockHistory
from kvviz.trace.trace import Trace

SHAPE = shape_of(2)
BATCHES = [{}, {"batch": 3}, {"batch": 3, "more_prompts": ((1, 2, 3), (5,) * 9)}]


def recorded(config, store=None, model=None):
    """The trace, and the pool as it was behind each step."""
    generation = generation_of(config, model, store=store)
    trace, states = Trace(config), []
    for item in generation.run():
        trace.append(*item)
        cache = generation._cache
        pool = cache.store.pool
        blocks = range(pool.num_blocks)
        states.append(
            (
                tuple(tuple(table.blocks) for table in cache.tables),
                tuple(table.num_tokens for table in cache.tables),
                tuple(map(pool.references, blocks)),
                tuple(map(pool.hash_of, blocks)),
                pool.blank,
                pool.reusable,
            )
        )
    return trace, states, generation


def folded(block_map):
    return (
        block_map.tables,
        block_map.lengths,
        block_map.references,
        block_map.hashes,
        block_map.blank,
        block_map.reusable,
    )


@pytest.mark.parametrize("fields", BATCHES, ids=["one", "copies", "unequal"])
@pytest.mark.parametrize("text", ["paged:1", "paged:4"])
def test_the_map_is_the_pools_own_at_each_step(text, fields):
    config = config_of(text, shape=SHAPE, **fields)
    trace, states, _ = recorded(config)
    history = BlockHistory(config)
    found = [folded(history.map_at(trace.steps, index)) for index in range(len(trace))]
    assert found == states
    assert folded(history.map_at(trace.steps, 1)) == states[1]
    assert history.map_at(trace.steps, -1).tables == ((),) * config.batch


def test_a_second_run_in_the_same_pool_finds_the_prefix():
    model = model_of(SHAPE)
    first = config_of("paged:2", shape=SHAPE, prompt_ids=(1, 2, 3, 4, 5, 6, 7))
    second = config_of("paged:2", shape=SHAPE, prompt_ids=(1, 2, 3, 4, 9, 9, 7))
    store = build_store(first.layout, SHAPE, 1, first.max_seq_len, CPU)
    recorded(first, store, model)[2].release()
    assert store.pool.num_used == 0
    trace, states, generation = recorded(second, store, model)
    step = trace.steps[0]
    assert step.prefix.num_tokens == step.num_tokens_reused == 4
    assert step.prefix.misses == (Miss.NEVER_STORED, Miss.NOT_FULL)
    assert (step.num_tokens_fed, step.seq_len, step.new_ids) == (3, 7, second.prompt_ids)
    assert step.score_cells == 5 + 6 + 7
    history = BlockHistory(second)
    maps = [history.map_at(trace.steps, index) for index in range(len(trace))]
    assert [folded(block_map) for block_map in maps] == states
    assert len(maps[0].shared) == 2
    before = history.map_at(trace.steps, -1)
    assert before.tables == ((),)
    assert set(maps[0].shared) < set(before.reusable)
    assert folded(history.map_at(trace.steps, 0)) == states[0]
    assert len(maps[0].written) == 3
    alone = run(config_of(LayoutKind.NONE, shape=SHAPE, prompt_ids=second.prompt_ids), model)
    assert trace.generated_ids == [item.token_id for item, _ in alone]
    assert all(item.measured == item.predicted for item in trace.steps)
    generation.release()


def test_a_run_beside_another_knows_whose_blocks_it_cannot_have():
    model = model_of(SHAPE)
    config = config_of("paged:4", shape=SHAPE)
    store = build_store(config.layout, SHAPE, 2, config.max_seq_len, CPU)
    _, _, other = recorded(config, store, model)
    two = config_of("paged:4x20", shape=SHAPE, prompt_ids=(9, 8, 7))
    trace, states, _ = recorded(two, store, model)
    held = [event.block for event in trace.steps[0].block_events if event.change == "held"]
    assert held
    block_map = BlockHistory(two).map_at(trace.steps, 0)
    assert folded(block_map) == states[0]
    assert all(block_map.owners(block) == () for block in held)
    assert all(block_map.references[block] == 1 for block in held)
    assert block_map.num_empty == 1
    other.release()


def test_written_slots_are_those_of_the_steps_tokens():
    config = config_of("paged:4", shape=SHAPE)
    trace, _, _ = recorded(config)
    history = BlockHistory(config)
    first, second = (history.map_at(trace.steps, index) for index in (0, 1))
    assert first.written == ((0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2))
    assert second.written == ((1, 3),)
    assert first.taken == (0, 1)
    assert second.sealed == (1,)
    changes = {event.change for step in trace.steps for event in step.block_events}
    assert changes == {BlockChange.TAKEN, BlockChange.SEALED}
