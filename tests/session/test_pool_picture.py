import numpy as np
import pytest
from engine_runs import CPU, config_of, model_of
from traced import SHAPE, shared_trace, trace_of, traced

from kvviz.cache.build import build_store
from kvviz.session.pool_picture import (
    BlockState,
    Part,
    PoolPicture,
    Slot,
    blocks_shown,
    row_parts,
)
from kvviz.trace.cache_map import BlockHistory
from kvviz.trace.step import Phase

PRE, DEC = Phase.PREFILL, Phase.DECODE
UNEQUAL = {"batch": 3, "more_prompts": ((1, 2, 3), (5,) * 9)}


def spans_of(trace, index):
    return [(step.phase, step.first_row, step.seq_len) for step in trace.steps[: index + 1]]


def picture_of(trace, index=-1):
    index %= len(trace)
    block_map = BlockHistory(trace.config).map_at(trace.steps, index)
    reused = trace.steps[0].num_tokens_reused
    return PoolPicture(block_map, trace.config, spans_of(trace, index), reused)


def slots_one_by_one(picture):
    """What ``slots`` says, block by block and slot by slot."""
    free = {
        BlockState.BLANK: Slot.BLANK,
        BlockState.REUSABLE: Slot.REUSABLE,
        BlockState.FOREIGN: Slot.FOREIGN,
    }
    written = {None: Slot.FOUND, PRE: Slot.PREFILL, DEC: Slot.DECODE}
    fresh = {PRE: Slot.NEW_PREFILL, DEC: Slot.NEW_DECODE}
    rows = []
    for number in range(picture.num_blocks):
        block = picture.block(number)
        row = [free.get(block.state, Slot.EMPTY)] * picture.size
        for part in block.parts:
            for slot in range(part.first, part.last):
                new = (number, slot) in picture.map.written
                row[slot] = fresh[part.phase] if new else written[part.phase]
        rows.append(row)
    return np.array(rows, np.uint8)


@pytest.mark.parametrize("fields", [{}, {"batch": 3}, UNEQUAL], ids=["one", "copies", "unequal"])
@pytest.mark.parametrize("text", ["paged:1", "paged:4"])
def test_slots_are_what_their_blocks_say(text, fields):
    trace = trace_of(text, **fields)
    for index in range(len(trace)):
        picture = picture_of(trace, index)
        assert np.array_equal(picture.slots(picture.num_blocks), slots_one_by_one(picture))
        assert picture.num_owned == sum(map(len, picture.map.tables))


def test_who_wrote_each_token_of_rows_of_unequal_lengths():
    picture = picture_of(trace_of("paged:4", **UNEQUAL), 2)
    assert picture.map.lengths == (9, 5, 11)
    assert picture.names == (1, 2, 3)
    assert [parts[0].last for parts in picture.parts] == [7, 3, 9]
    assert [picture.phase_of(row, 8) for row in (0, 2)] == [DEC, PRE]
    assert picture.block(picture.map.tables[1][0]).parts == (Part(PRE, 0, 3), Part(DEC, 3, 4))


def test_tokens_and_slots_are_each_others_inverse():
    picture = picture_of(trace_of("paged:4", **UNEQUAL))
    for row, length in enumerate(picture.map.lengths):
        for token in range(length):
            assert picture.token_at(*picture.slot_of(token, row)) == (row, token)
        assert picture.slot_of(length, row) is None
    last = picture.map.tables[1][-1]
    assert picture.token_at(last, picture.block(last).filled) is None


def test_found_blocks_hold_what_was_not_computed():
    trace = shared_trace()
    picture = picture_of(trace, 0)
    assert trace.steps[0].num_tokens_reused == 4
    first, *_, last = picture.map.tables[0]
    block = picture.block(first)
    assert block.parts == (Part(None, 0, 2),)
    assert block.changes == ("shared",)
    assert block.hash_text.startswith("#")
    assert picture.phase_of(0, 3) is None
    assert picture.phase_of(0, 4) is PRE
    assert picture.fresh == {picture.map.tables[0][2]: (0, 2), last: (0, 1)}
    assert (picture.slots(picture.num_blocks)[first] == Slot.FOUND).all()
    reusable = picture.map.reusable[0]
    assert picture.block(reusable).state is BlockState.REUSABLE


def test_an_evicted_block_says_so_in_that_step_alone():
    trace = shared_trace("paged:2x7", prompt=(9, 9, 9, 8, 8))
    pictures = [picture_of(trace, index) for index in range(len(trace))]
    evicted = [index for index, picture in enumerate(pictures) if picture.map.evicted]
    assert evicted
    number = pictures[evicted[0]].map.evicted[0]
    assert pictures[evicted[0]].block(number).changes[:2] == ("evicted", "taken")
    assert "evicted" not in pictures[evicted[0] - 1].block(number).changes


def test_blocks_of_another_request_are_its_own():
    model = model_of(SHAPE)
    config = config_of("paged:4", shape=SHAPE)
    store = build_store(config.layout, SHAPE, 2, config.max_seq_len, CPU)
    _, other = traced(config, model, store)
    trace, generation = traced(
        config_of("paged:4x20", shape=SHAPE, prompt_ids=(9, 8, 7)), model, store
    )
    picture = picture_of(trace, 0)
    foreign = [n for n in range(20) if picture.block(n).state is BlockState.FOREIGN]
    assert foreign
    assert (picture.slots(20)[foreign] == Slot.FOREIGN).all()
    assert picture.block(foreign[0]).references == 1
    other.release()
    generation.release()


def test_the_first_prefill_is_a_longer_rows_from_its_beginning():
    config = config_of("paged:4", shape=SHAPE, batch=2, more_prompts=((4,) * 12,))
    assert row_parts(config, [(PRE, 0, 7), (DEC, 7, 8)], 0, 1) == (
        Part(PRE, 0, 12),
        Part(DEC, 12, 13),
    )


@pytest.mark.parametrize(
    ("planned", "highest", "shown"),
    [(20, 4, 10), (12, 2, 3), (12, 3, 4), (40, 9, 10), (4, -1, 1)],
    ids=["half", "few", "touched", "all", "none yet"],
)
def test_blocks_that_stay_blank_have_no_place(planned, highest, shown):
    config = config_of("paged:4", shape=SHAPE, max_seq_len=40)
    assert blocks_shown(config, planned, highest) == shown
