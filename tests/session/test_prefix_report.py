from dataclasses import replace

import pytest
from engine_runs import config_of
from pool_runs import LONG, pool_traces, sharing

from kvviz.session.prefix_report import BATCH, EMPTY_POOL, prefix_report
from kvviz.session.runs import Run, RunList
from kvviz.sizing.blocks import Miss
from kvviz.sizing.work import score_cells
from kvviz.trace.latency import ttft_ns
from kvviz.trace.trace import Trace


def recorded(*configs):
    """The runs of these configs, made one after the other by one runner."""
    runs = RunList()
    for trace in pool_traces(*configs):
        pieces = tuple(map(str, trace.config.prompt_ids))
        runs.add(Run(runs.new_id(), trace, pieces, 0))
    return runs


def report(*configs):
    runs = recorded(*configs)
    return prefix_report(runs, runs.runs[-1])


def test_what_was_found_what_it_saved_and_why_the_rest_missed():
    found = report(sharing(*LONG), sharing(1, 2, 3, 4, 9, 9, 9, 9, 7))
    assert (found.prompt_tokens, found.found, found.positions) == (9, 4, 5)
    assert (found.cells, found.cells_alone) == (score_cells(4, 5), score_cells(0, 9))
    assert [block.miss is None for block in found.blocks] == [True, True, False, False, False]
    assert found.blocks[2].text == "99"
    assert found.reasons == (
        f"Block 3: {Miss.NEVER_STORED.value}.",
        f"Block 4: {Miss.BEHIND_A_MISS.value}.",
        f"Block 5: {Miss.NOT_FULL.value}.",
    )


def test_blocks_of_one_reason_are_one_sentence():
    found = report(sharing(*LONG), sharing(9, *LONG, 8, 8))
    assert found.found == 0
    assert found.reasons[1].startswith("Blocks 2 to 4: a block before it is missing")


def test_the_earlier_run_in_the_pool_is_the_one_to_compare_with():
    runs = recorded(sharing(*LONG), config_of("concat"), sharing(*LONG))
    found = prefix_report(runs, runs.runs[-1])
    assert found.earlier is runs.runs[0]
    assert found.ttft_ns == ttft_ns(runs.runs[-1].trace)


def test_a_prompt_that_is_all_there_computes_its_last_token():
    found = report(sharing(*LONG, 8), sharing(*LONG, 8))
    assert (found.found, found.positions) == (6, 2)
    assert found.reasons == (f"Block 4: {Miss.LAST_TOKEN.value}.",)


@pytest.mark.parametrize(("ids", "tokens"), [((1,), "1 token does"), ((1, 2, 3), "3 tokens do")])
def test_a_prompt_shorter_than_a_block_says_so(ids, tokens):
    layout = config_of("paged:4").layout
    first = replace(sharing(*LONG), layout=layout)
    found = report(first, replace(first, prompt_ids=ids))
    assert found.found == 0
    assert found.reasons == (f"The prompt's {tokens} not fill a block of 4, so there are 0 hits.",)


def test_in_an_empty_pool_nothing_is_missed_by_name():
    found = report(sharing(*LONG))
    assert (found.found, found.earlier, found.reasons) == (0, None, (EMPTY_POOL,))


def test_a_pool_of_other_settings_is_another_pool():
    found = report(sharing(*LONG), sharing(*LONG, max_seq_len=30))
    assert found.earlier is None
    assert found.reasons == (EMPTY_POOL,)


def test_a_prefill_in_chunks_is_one_prefill():
    found = report(sharing(*LONG), sharing(*LONG, 8, 9, prefill_chunk=1))
    assert (found.found, found.positions) == (6, 3)
    assert found.cells == score_cells(6, 3)


def test_unequal_prompts_are_not_looked_up():
    found = report(sharing(*LONG), sharing(*LONG, more_prompts=((1, 2),), batch=2))
    assert (found.blocks, found.reasons) == ((), (BATCH,))


def test_a_run_that_shares_nothing_has_none():
    assert report(config_of("paged:2")) is None
    runs = RunList()
    assert prefix_report(runs, Run(1, Trace(sharing(*LONG)), (), 0)) is None
