from dataclasses import replace

import pytest

from kvviz.session.controls import Controls
from kvviz.session.runs import Run
from kvviz.session.scene import counterpart
from kvviz.session.settings import Settings, prompts_of, settings_of
from kvviz.sizing.kernel import Kernel
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.config import TokenizerKind
from kvviz.trace.trace import Trace

THREE = {"prompt": "one", "more_prompts": "number two\n\n  \nthree!", "max_new_tokens": 4}
THREE_PROMPTS = ("one", "number two", "three!")


def controls(**changes):
    return Controls(
        replace(Settings(), **changes),
        lambda settings: tuple(tuple(text.encode()) for text in settings.prompts),
        lambda: 2**33,
    )


def test_further_prompts_are_lines_that_say_something():
    settings = replace(Settings(), **THREE)
    assert settings.prompts == THREE_PROMPTS
    assert settings.sequences == 3
    assert replace(settings, more_prompts=" \n", batch=5).sequences == 5


def test_a_batch_of_prompts_counts_by_its_longest():
    desk = controls(**THREE, max_seq_len=14)
    assert len(desk.prompt_ids) == len("number two")
    assert desk.planned.batch == 3
    desk.change("max_seq_len", 13, settled=True)
    assert "10 tokens + 4 new need" in desk.problem
    desk.fit_limit()
    assert desk.settings.max_seq_len == 14


@pytest.mark.parametrize("row", [0, 1, 2])
def test_the_chosen_row_is_the_recorded_one_and_all_come_back_as_typed(row):
    desk = controls(**THREE, row=row)
    config = desk.planned
    assert config.prompt_text == desk.settings.prompts[row]
    assert config.prompt_ids == tuple(desk.settings.prompts[row].encode())
    assert prompts_of(config) == desk.settings.prompts
    assert settings_of(config) == replace(desk.settings, more_prompts="number two\nthree!")


def test_a_row_that_is_gone_is_the_last_one():
    assert controls(**THREE, row=7).planned.row == 2
    assert controls(row=7).planned.row == 0


def test_typed_ids_of_a_batch_come_back():
    settings = replace(
        Settings(), prompt="10, 20", more_prompts="1, 2, 3", tokenizer=TokenizerKind.IDS, row=1
    )
    config = settings.to_config((10, 20), (1, 2, 3))
    assert config.prompt_ids == (1, 2, 3)
    assert settings_of(config) == settings


def test_more_prompts_than_a_batch_may_have_are_refused():
    desk = controls(more_prompts="\n".join("abcdefghijklmnop"))
    assert desk.problem == "Batch must be between 1 and 16, not 17."


def test_a_kernel_comes_back():
    desk = controls(kernel=Kernel.BLOCKWISE, tile=4)
    assert (desk.planned.kernel, desk.planned.tile) == (Kernel.BLOCKWISE, 4)
    assert settings_of(desk.planned) == desk.settings


def test_a_run_that_shares_a_pool_can_be_proved():
    config = controls(layout=LayoutKind.PAGED, shares_pool=True).planned
    run = Run(1, Trace(config), (), 0)
    assert counterpart(run).layout.kind is LayoutKind.NONE


def test_the_list_tells_batches_and_kernels_from_other_runs():
    config = controls(**THREE, kernel=Kernel.BLOCKWISE, tile=8).planned
    run = Run(1, Trace(config), (), 0)
    assert run.traits[:3] == ("preallocated", "3 prompts", "tiles of 8")
    assert Run(1, Trace(controls().planned), (), 0).traits[1].startswith("GQA")


@pytest.mark.parametrize("row", [0, 1, 2])
def test_any_row_of_a_batch_in_chunks_can_be_watched(row):
    desk = controls(**THREE, max_seq_len=64, prefill_chunk=5, row=row)
    assert desk.problem == ""
    assert desk.planned.prompt_ids == tuple(THREE_PROMPTS[row].encode())
