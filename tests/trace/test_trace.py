import numpy as np
import pytest
from engine_runs import config_of, run

from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.step import Phase
from kvviz.trace.trace import COLUMNS, Trace, step_row

ITEMS = {kind: run(config_of(kind, prefill_chunk=3, max_new_tokens=20)) for kind in LayoutKind}


def traced(kind=LayoutKind.PREALLOCATED, count=None):
    trace = Trace(config_of(kind, prefill_chunk=3, max_new_tokens=20))
    for step, arrays in ITEMS[kind][:count]:
        trace.append(step, arrays)
    return trace


@pytest.mark.parametrize("kind", LayoutKind)
def test_rows_of_all_steps_lie_behind_one_another(kind):
    trace = traced(kind)
    reads = {"q": trace.queries, "k": trace.keys, "v": trace.values, "out": trace.outputs}
    for name, read in reads.items():
        expected = np.concatenate([getattr(arrays, name) for _, arrays in ITEMS[kind]], axis=2)
        for layer in range(2):
            assert np.array_equal(read(layer), expected[layer])


@pytest.mark.parametrize("kind", LayoutKind)
def test_columns_are_the_figures_of_the_steps(kind):
    trace = traced(kind)
    for index, name in enumerate(COLUMNS):
        expected = [step_row(step)[index] for step in trace.steps]
        assert trace.column(name).tolist() == expected
    assert trace.column("bytes_used").tolist() == [s.measured.used for s in trace.steps]
    assert trace.column("predicted_peak").tolist() == [s.predicted.peak for s in trace.steps]
    with pytest.raises(ValueError, match="read-only"):
        trace.column("seq_len")[0] = 1


def test_a_column_read_earlier_keeps_its_steps():
    trace = traced(count=2)
    before = trace.column("seq_len")
    for step, arrays in ITEMS[LayoutKind.PREALLOCATED][2:]:
        trace.append(step, arrays)
    assert before.tolist() == [3, 6]
    assert len(trace.column("seq_len")) == len(trace) == 22


def test_tokens_say_who_fed_them_and_the_last_was_not_fed():
    trace = traced()
    prompt = trace.config.prompt_ids
    assert [token.token_id for token in trace.tokens] == [*prompt, *trace.generated_ids]
    assert [token.phase for token in trace.tokens] == (
        [Phase.PREFILL] * 7 + [Phase.DECODE] * 19 + [None]
    )
    assert [token.token_id for token in trace.tokens_at(0)] == list(prompt[:3])
    assert trace.tokens_at(2)[-1].token_id == trace.generated_ids[0]


def test_row_steps_name_the_step_that_first_computed_a_row():
    assert traced().row_steps().tolist() == [0, 0, 0, 1, 1, 1, 2, *range(3, 22)]


def test_logits_are_kept_where_a_token_was_chosen():
    trace = traced()
    assert trace.logits(0) is trace.logits(1) is None
    assert trace.logits(2).argmax() == trace.generated_ids[0]


def test_an_empty_trace_has_nothing():
    trace = Trace(config_of())
    assert (len(trace), trace.seq_len, trace.tokens, trace.generated_ids) == (0, 0, [], [])
    assert trace.queries(0).shape == (4, 0, 8)


@pytest.mark.parametrize("index", [0, 2, 5])
def test_a_step_that_does_not_follow_is_refused_and_changes_nothing(index):
    trace = traced(count=1)
    with pytest.raises(InputError, match=f"Step {index} does not follow step 0"):
        trace.append(*ITEMS[LayoutKind.PREALLOCATED][index])
    assert len(trace) == 1
