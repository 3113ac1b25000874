from dataclasses import replace

import pytest
from engine_runs import (
    PROMPT,
    chosen,
    config_of,
    generation_of,
    run,
)

from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.config import Sampling
from kvviz.trace.messages import EndReason
from kvviz.trace.step import Phase

KEEPING = [LayoutKind.CONCAT, LayoutKind.PREALLOCATED]
KV_HEADS = (4, 2, 1)
P = len(PROMPT)


@pytest.mark.parametrize("kind", LayoutKind)
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(temperature=1.2, seed=5)])
def test_a_continued_run_goes_on_as_if_it_had_never_stopped(kind, sampling):
    whole = run(config_of(kind, max_new_tokens=9, sampling=sampling))
    generation = generation_of(config_of(kind, max_new_tokens=4, sampling=sampling))
    items = list(generation.run())
    assert generation.reason is EndReason.LENGTH
    generation.extend(5)
    items += list(generation.run())
    assert chosen(items) == chosen(whole)
    assert [replace(s, latency_ns=0) for s, _ in items] == (
        [replace(s, latency_ns=0) for s, _ in whole]
    )


@pytest.mark.parametrize("kind", LayoutKind)
@pytest.mark.parametrize("chunk", [0, 2])
def test_more_text_is_a_second_prefill_on_the_kept_cache(kind, chunk):
    generation = generation_of(config_of(kind, max_new_tokens=3, prefill_chunk=chunk))
    said = chosen(list(generation.run()))
    generation.extend(3, text_ids=(9, 8, 7))
    items = list(generation.run())
    prompt = (*PROMPT, *said, 9, 8, 7)
    assert chosen(items) == chosen(run(config_of(prompt_ids=prompt, max_new_tokens=3)))
    new = [step for step, _ in items if step.phase is Phase.PREFILL]
    assert sum((step.new_ids for step in new), ()) == (said[-1], 9, 8, 7)
    chunked = chunk and kind is not LayoutKind.NONE
    assert len(new) == (2 if chunked else 1)
    assert [step.phase for step, _ in items[len(new) :]] == [Phase.DECODE] * 2
    assert items[-1][0].seq_len == len(prompt) + 2
    assert all(step.measured == step.predicted for step, _ in items)


@pytest.mark.parametrize(
    ("new", "text", "message"),
    [
        (0, (), "New tokens must be at least 1, not 0"),
        (40, (), "over the sequence limit of 40"),
        (1, (1,) * 40, "over the sequence limit of 40"),
        (1, (64,), "Token id 64 is outside the vocabulary of 64"),
        (1, (-1,), "Token id -1 is outside"),
    ],
)
def test_a_refused_continuation_leaves_the_run_as_it_was(new, text, message):
    generation = generation_of(config_of(max_new_tokens=3))
    list(generation.run())
    with pytest.raises(InputError, match=message):
        generation.extend(new, text)
    assert list(generation.run()) == []
    generation.extend(2)
    assert len(list(generation.run())) == 2


def test_the_sequence_limit_can_be_filled_to_the_last_token():
    generation = generation_of(config_of(max_new_tokens=3, max_seq_len=P + 5))
    list(generation.run())
    generation.extend(2)
    assert [step.seq_len for step, _ in generation.run()] == [P + 3, P + 4]
    with pytest.raises(InputError, match="over the sequence limit"):
        generation.extend(1)
