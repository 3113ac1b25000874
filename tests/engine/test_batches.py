"""A batch of prompts of different lengths: every row says what it says alone."""

import numpy as np
import pytest
from engine_runs import PROMPT, chosen, config_of, generation_of, model_of, run, shape_of

from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import Positions
from kvviz.trace.packing import pack, unpack
from kvviz.trace.trace import Trace

SHAPE = shape_of(2, Positions.ROPE)
MORE = ((1, 2, 3), (5,) * 9)
LAYOUTS = ["none", "concat", "preallocated", "paged:4", "sliding:64", "quantized:int8+40"]


def alone(ids, model):
    return chosen(run(config_of("none", shape=SHAPE, dtype=DType.FLOAT64, prompt_ids=ids), model))


@pytest.mark.parametrize("text", LAYOUTS)
def test_every_row_says_what_it_says_alone(text):
    model = model_of(SHAPE, DType.FLOAT64)
    config = config_of(text, shape=SHAPE, dtype=DType.FLOAT64, batch=3, more_prompts=MORE)
    items = run(config, model)
    assert chosen(items) == alone(PROMPT, model)
    for row, ids in enumerate(MORE):
        found = [step.more_rows[row] for step, _ in items]
        assert [part.token_id for part in found] == alone(ids, model)
        if text != "none":
            assert found[0].new_ids == ids
            assert [len(part.new_ids) for part in found[1:]] == [1] * (len(items) - 1)
    assert all(step.measured == step.predicted for step, _ in items)
    assert [step.seq_len for step, _ in items] == [*range(7, 13)]


def test_a_chunk_is_of_the_row_that_is_recorded():
    model = model_of(SHAPE, DType.FLOAT64)
    fields = {"shape": SHAPE, "dtype": DType.FLOAT64, "batch": 2, "prefill_chunk": 3}
    config = config_of("paged:4", more_prompts=((1, 2, 3),), **fields)
    items = run(config, model)
    assert [step.more_rows[0].new_ids for step, _ in items][:3] == [(), (1, 2), (3,)]
    assert [step.more_rows[0].token_id for step, _ in items][2:] == alone((1, 2, 3), model)


@pytest.mark.parametrize("text", [*LAYOUTS, "quantized:int8/8+3", "sliding:8+2", "paged:1"])
@pytest.mark.parametrize("chunk", [1, 2, 4])
def test_chunks_begin_with_the_first_token_of_the_row_that_is_recorded(text, chunk):
    model, longer = model_of(SHAPE, DType.FLOAT64), tuple(range(12))
    fields = {"shape": SHAPE, "dtype": DType.FLOAT64, "prompt_ids": (1, 2, 3), "batch": 2}
    config = config_of(text, more_prompts=(longer,), prefill_chunk=chunk, **fields)
    items = run(config, model)
    assert all(step.measured == step.predicted for step, _ in items)
    if text in LAYOUTS:  # the others forget, or round what they read
        assert chosen(items) == alone((1, 2, 3), model)
        assert [step.more_rows[0].token_id for step, _ in items][-6:] == alone(longer, model)
    if text != "none":
        assert items[0][0].new_ids == (1, 2, 3)[:chunk]
        assert items[0][0].more_rows[0].new_ids == longer[: 9 + chunk]
        assert len(items) == -(-3 // chunk) + 5


def test_padding_is_waste_and_pages_have_none():
    fields = {"shape": SHAPE, "batch": 3, "more_prompts": MORE}
    padded, paged = (run(config_of(text, **fields))[0][0] for text in ("concat", "paged:1"))
    token = padded.measured.used // (7 + 3 + 9)
    assert padded.measured.slack == (9 * 3 - 19) * token
    assert (paged.measured.used, paged.measured.slack) == (19 * token, 0)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"more_prompts": MORE}, "3 prompts are a batch of 3, not of 1"),
        ({"more_prompts": ((),), "batch": 2}, "A prompt of the batch is empty"),
        ({"more_prompts": ((99,),), "batch": 2}, "Token id 99 is outside"),
        ({"more_prompts": ((1,) * 39,), "batch": 2}, "over the sequence limit"),
        ({"dtype": DType.FLOAT8_E4M3}, "No model computes in float8_e4m3"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(fields, reason):
    with pytest.raises(InputError, match=reason):
        config_of("concat", shape=SHAPE, **fields)


@pytest.mark.parametrize("text", ["paged:2", "quantized:int4/4+3", "sliding:4+2", "concat"])
def test_a_trace_of_it_is_read_back_as_it_was(text):
    config = config_of(text, shape=SHAPE, batch=3, more_prompts=MORE)
    trace = Trace(config)
    for item in run(config):
        trace.append(*item)
    again = unpack(config, pack(trace))
    assert again.steps == trace.steps
    for index in range(len(trace)):
        errors = trace.errors(index), again.errors(index)
        assert (errors[0] is None) == (errors[1] is None) == ("quantized" not in text)
        assert errors[0] is None or np.array_equal(*errors)


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("row_tokens", (0, 0), 99),
        ("row_tokens", (0, 1), 3),
        ("row_tokens", (0, 2), 1),
        ("row_tokens", (0, 3), 64),
        ("block_events", (0, 1), 99),
        ("block_events", (0, 2), -1),
        ("block_events", (0, 3), 3),
    ],
)
def test_a_damaged_one_is_found(name, at, value):
    config = config_of("paged:2", shape=SHAPE, batch=3, more_prompts=MORE)
    trace = Trace(config)
    for item in run(config):
        trace.append(*item)
    tensors = pack(trace)
    tensors[name][at] = value
    with pytest.raises(ValueError, match=r"its|a token"):
        unpack(config, tensors)


def test_the_end_of_a_request_is_the_end_of_its_bytes():
    generation = generation_of(config_of("paged:4", shape=SHAPE))
    for _ in generation.run():
        pass
    pool = generation._cache.store.pool
    assert generation.bytes_reserved > 0
    assert pool.num_used > 0
    generation.release()
    assert (pool.num_used, generation.bytes_reserved, generation.can_continue) == (0, 0, False)
    with pytest.raises(InputError, match="cache was dropped"):
        generation.extend(1)
