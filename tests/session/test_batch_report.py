import pytest
from engine_runs import config_of, run

from kvviz.session.batch_report import batch_rows, padding_bytes
from kvviz.session.runs import Run
from kvviz.trace.trace import Trace

MORE = ((1, 2, 3), (4, 5, 6, 7, 8, 9, 10, 11, 12))


def recorded(text="preallocated", **fields):
    config = config_of(
        text, prompt_ids=(1,), more_prompts=MORE, batch=3, more_texts=("b", "c"), **fields
    )
    trace = Trace(config)
    for item in run(config):
        trace.append(*item)
    return Run(1, trace, (), 0)


def test_rows_of_one_tensor_begin_with_padding():
    found = batch_rows(recorded(), 2)
    assert [(row.padding, row.prompt, row.answer) for row in found] == [
        (8, 1, 2),
        (6, 3, 2),
        (0, 9, 2),
    ]
    assert [len(row.answer_ids) for row in found] == [3, 3, 3]
    assert [row.shown for row in found] == [True, False, False]


def test_before_the_first_step_nothing_is_held():
    assert [(row.prompt, row.answer_ids) for row in batch_rows(recorded(), -1)] == [(0, ())] * 3


def test_rows_of_pages_have_empty_slots_instead():
    found = batch_rows(recorded("paged:4"), 2)
    assert [(row.padding, row.empty) for row in found] == [(0, 1), (0, 3), (0, 1)]


def test_they_stand_as_they_were_typed_whichever_is_recorded():
    found = batch_rows(recorded(row=1), 0)
    assert [row.text for row in found] == ["b", "1", "c"]
    assert [row.shown for row in found] == [False, True, False]
    assert [row.prompt for row in found] == [3, 1, 9]


@pytest.mark.parametrize("text", ["preallocated", "concat", "quantized:int8"])
def test_padding_that_is_kept_costs_what_tokens_cost(text):
    one = recorded(text)
    per_token = one.config.layout.payload(one.config.model.shape.cache_parts, 1, 1)
    assert padding_bytes(one) == (8 + 6) * per_token


def test_a_ring_that_is_full_of_tokens_keeps_no_padding():
    one = recorded("sliding:2")  # prompts of 3, 1 and 9 tokens
    per_token = one.config.layout.payload(one.config.model.shape.cache_parts, 1, 1)
    assert padding_bytes(one) == per_token


@pytest.mark.parametrize("text", ["paged:4", "none"])
def test_padding_that_is_not_kept_costs_none(text):
    assert padding_bytes(recorded(text)) == 0


def test_copies_of_one_prompt_have_no_rows_to_tell():
    trace = Trace(config_of(batch=3))
    assert batch_rows(Run(1, trace, (), 0), -1) == ()
