from dataclasses import replace

import pytest

from kvviz.session.controls import Controls
from kvviz.session.layout_choice import (
    MOST_LAYOUTS,
    PRESETS,
    base_config,
    compared_configs,
    layout_problem,
)
from kvviz.session.settings import Settings
from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.layout_text import layout_text, parse_layout
from kvviz.trace.config import RunConfig

GIB = 2**30


def encoded(settings):
    return tuple(tuple(text.encode()) for text in settings.prompts)


def controls(**changes):
    settings = replace(Settings(), **changes)
    return Controls(settings, encoded, lambda: 8 * GIB)


def base(**changes):
    return base_config(controls(**changes))


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_can_be_compared(preset):
    config = base()
    layouts = preset.layouts(config.layout)
    configs = compared_configs(config, layouts, 8 * GIB)
    assert 2 < len(configs) <= MOST_LAYOUTS
    assert {one.prompt_ids for one in configs} == {config.prompt_ids}
    assert [one.layout for one in configs] == list(layouts)


def test_a_preset_takes_the_dtype_there_is_and_names_nothing_twice():
    like = CacheLayout(kv_dtype=DType.BFLOAT16)
    six, *_, bits = PRESETS
    assert {layout.kv_dtype for layout in six.layouts(like)} == {DType.BFLOAT16}
    assert len(set(bits.layouts(like))) == len(bits.layouts(like)) == 4


def test_the_layout_of_the_controls_does_not_stand_in_the_way():
    desk = controls(layout=LayoutKind.QUANTIZED, kv_dtype=DType.FLOAT8_E4M3)
    assert desk.planned is None
    assert "float8" in desk.problem
    desk.change("kv_dtype", None, settled=True)
    assert isinstance(base_config(desk), RunConfig)
    desk.change("prompt", " ", settled=True)
    with pytest.raises(InputError, match="prompt is empty"):
        base_config(desk)


def test_a_pool_is_not_shared_by_those_compared():
    assert not base(layout=LayoutKind.PAGED, shares_pool=True).shares_pool


def test_a_layout_that_cannot_be_says_why():
    shape = {"head_dim": 10, "num_heads": 2, "num_kv_heads": 2}
    assert layout_problem(base(), parse_layout("quantized:int4")) == ""
    config = base(**shape)
    odd = replace(config.model.shape, head_dim=11, positions="none")
    config = replace(config, model=replace(config.model, shape=odd))
    assert "must be even" in layout_problem(config, parse_layout("quantized:int4"))


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("concat",), "one more"),
        (("concat", "concat"), "twice"),
        (tuple(f"paged:{n}" for n in range(1, 10)), "choose 8"),
    ],
)
def test_too_few_too_many_or_twice_is_refused(texts, words):
    with pytest.raises(InputError, match=words):
        compared_configs(base(), [parse_layout(text) for text in texts], 8 * GIB)


def test_what_is_recorded_of_all_of_them_must_fit():
    config = base()
    layouts = [parse_layout(text) for text in ("none", "concat", "preallocated", "paged:16")]
    one = max(replace(config, layout=layout).cost.total for layout in layouts)
    with pytest.raises(InputError, match="fewer layouts"):
        compared_configs(config, layouts, one * 4 // 3 + 1000)
    assert [layout_text(c.layout) for c in compared_configs(config, layouts, 10 * one)]
