from dataclasses import replace

import pytest

from kvviz.session.controls import EMPTY_PROMPT, Controls
from kvviz.session.limits import (
    BATCHES,
    HEAD_DIMS,
    HEADS,
    LAYERS,
    SEQ_LENS,
    slider_stops,
    with_control,
)
from kvviz.session.settings import DEFAULT_PROMPT, Settings, settings_of
from kvviz.sizing.cost import RunCost, memory_limit
from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.kernel import Kernel
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.shape import ModelShape, Positions
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec, TokenizerKind

GIB = 2**30


def controls(free_bytes=8 * GIB, **changes):
    return Controls(
        replace(Settings(), **changes),
        lambda settings: tuple(tuple(text.encode()) for text in settings.prompts),
        lambda: free_bytes,
    )


def test_the_defaults_can_be_run():
    desk = controls()
    assert desk.problem == ""
    assert desk.planned.prompt_ids == tuple(b"The cat sat on the")


@pytest.mark.parametrize("prompt", ["", " ", "\n\t "])
def test_an_empty_prompt_says_what_to_do(prompt):
    desk = controls(prompt=prompt)
    assert desk.planned is None
    assert desk.problem == EMPTY_PROMPT


def test_a_prompt_over_the_limit_names_the_numbers_and_can_be_made_to_fit():
    desk = controls(prompt="x" * 60)
    assert "84" in desk.problem
    assert "64" in desk.problem
    desk.fit_limit()
    assert desk.problem == ""
    assert desk.settings.max_seq_len == 84
    assert desk.undo()
    assert desk.settings.max_seq_len == 64


def test_a_drag_is_one_step_back():
    desk = controls()
    for value in (3, 2, 1):
        desk.change("num_layers", value, settled=False)
    desk.change("num_layers", 1, settled=True)
    desk.change("num_layers", 5, settled=True)
    assert desk.undo()
    assert desk.settings.num_layers == 1
    assert desk.undo()
    assert desk.settings.num_layers == Settings().num_layers
    assert not desk.undo()
    assert desk.redo()
    assert desk.settings.num_layers == 1


def test_kv_heads_follow_the_query_heads_to_a_divisor():
    settings = replace(Settings(), num_heads=12, num_kv_heads=6)
    assert with_control(settings, "num_heads", 8).num_kv_heads == 4
    assert with_control(settings, "num_heads", 7).num_kv_heads == 1
    assert with_control(settings, "num_heads", 18).num_kv_heads == 6


@pytest.mark.parametrize("layout", list(LayoutKind))
@pytest.mark.parametrize("free_bytes", [64 * 2**20, GIB, 24 * GIB])
def test_a_slider_at_its_stop_fits_and_one_more_does_not(layout, free_bytes):
    settings = replace(Settings(), layout=layout, num_heads=8, num_kv_heads=8)
    ranges = {"num_layers": LAYERS, "num_heads": HEADS, "head_dim": HEAD_DIMS, "batch": BATCHES}
    ranges |= {"num_kv_heads": (1, 2, 4, 8), "max_seq_len": SEQ_LENS}
    stops = slider_stops(settings, 18, free_bytes)
    assert set(stops) == set(ranges)
    for control, stop in stops.items():
        with_control(settings, control, stop.highest).cost(18).check(free_bytes)
        further = [value for value in ranges[control] if value > stop.highest]
        if stop.reason:
            assert f"{stop.highest:,}" in stop.reason
            with pytest.raises(InputError, match="would take"):
                with_control(settings, control, further[0]).cost(18).check(free_bytes)
        else:
            assert further == []


def test_a_stop_leaves_out_no_value_that_fits():
    """9 query heads cannot share 8 KV heads, so they take less than 8 do."""
    settings = replace(Settings(), num_heads=8, num_kv_heads=8, batch=16, max_seq_len=4096)
    stop = slider_stops(settings, 18, 700 * 2**20)["num_heads"].highest
    assert stop == 31
    for heads in (stop, 32):
        asked = with_control(settings, "num_heads", heads).cost(18)
        assert (asked.total <= memory_limit(700 * 2**20)) == (heads == stop)


def test_a_move_asks_for_few_costs(monkeypatch):
    asked = []
    monkeypatch.setattr(Settings, "cost", lambda *_: asked.append(1) or RunCost(1, 1, 1, 1))
    slider_stops(Settings(), 18, GIB)
    assert len(asked) == 6  # one for each slider, where there is room


def test_a_shape_too_big_is_refused_with_the_numbers():
    desk = controls(256 * 2**20, num_layers=24, num_heads=32, num_kv_heads=32, head_dim=128)
    assert desk.planned is None
    assert "GiB" in desk.problem
    with pytest.raises(InputError, match="weights"):
        desk.settings.cost(18).check(256 * 2**20)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"layout": LayoutKind.CONCAT, "num_layers": 2, "temperature": 0.7, "seed": 5},
        {"dtype": DType.FLOAT16, "kv_dtype": DType.FLOAT32, "batch": 3, "prefill_chunk": 4},
        {"layout": LayoutKind.PAGED, "block_size": 4, "num_blocks": 30, "kernel": Kernel.BLOCKWISE},
        {"layout": LayoutKind.SLIDING, "window": 12, "sinks": 3, "v_dtype": DType.FLOAT8_E4M3},
        {"layout": LayoutKind.QUANTIZED, "bits": 4, "group": 16, "residual": 8},
    ],
)
def test_a_run_gives_its_settings_back(changes):
    desk = controls(**changes)
    assert desk.planned.layout == desk.settings.cache_layout
    assert settings_of(desk.planned) == desk.settings


def test_what_no_control_shows_goes_with_the_one_beside_it():
    brought = {"layout": LayoutKind.PAGED, "num_blocks": 30, "v_dtype": DType.FLOAT8_E4M3}
    settings = replace(Settings(), **brought)
    assert with_control(settings, "temperature", 0.5).num_blocks == 30
    assert with_control(settings, "block_size", 8).num_blocks == 0
    assert with_control(settings, "layout", LayoutKind.SLIDING).v_dtype is DType.FLOAT8_E4M3
    assert with_control(settings, "kv_dtype", DType.BFLOAT16).v_dtype is None


def test_while_ids_are_worked_out_nothing_is_wrong_and_the_plan_is_of_the_old_ones():
    known = {}
    desk = Controls(Settings(), lambda settings: known.get(settings.prompt), lambda: 8 * GIB)
    assert desk.waiting
    assert (desk.planned, desk.problem) == (None, "")
    known[DEFAULT_PROMPT] = ((1, 2, 3),)
    desk.refresh()
    assert not desk.waiting
    assert desk.planned.prompt_ids == (1, 2, 3)
    desk.change("prompt", "another", settled=False)
    assert desk.waiting
    assert desk.problem == ""
    assert desk.planned.prompt_ids == (1, 2, 3)


def test_a_text_without_ids_says_why():
    def encode(settings):
        raise InputError("'a' is not a token id: write numbers such as 10, 20, 30.")

    desk = Controls(Settings(), encode, lambda: 8 * GIB)
    assert desk.planned is None
    assert desk.problem.startswith("'a' is not a token id")


def test_typed_ids_come_back_as_they_were_typed():
    settings = replace(Settings(), prompt="10, 20, 30", tokenizer=TokenizerKind.IDS)
    config = settings.to_config((10, 20, 30))
    assert config.prompt_text is None
    assert settings_of(config) == settings


def test_learned_positions_stop_the_limit_where_they_end():
    shape = ModelShape(2, 4, 4, 16, 300, Positions.LEARNED, context=1024)
    choice = ModelChoice(ModelSpec(shape, ModelSource.FOLDER, path="/models/gpt2"))
    stop = slider_stops(Settings().with_model(choice), 18, 8 * GIB)["max_seq_len"]
    assert stop.highest == 1024
    assert "1,024 positions" in stop.reason
    turned = replace(shape, positions=Positions.ROPE)
    free = Settings().with_model(replace(choice, spec=replace(choice.spec, shape=turned)))
    assert slider_stops(free, 18, 8 * GIB)["max_seq_len"].highest == SEQ_LENS[-1]
