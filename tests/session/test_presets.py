from dataclasses import replace

import pytest

from kvviz.assets import built_in_model
from kvviz.engine.tokenizer import tokenizer_for
from kvviz.session.controls import Controls
from kvviz.session.presets import PRESETS
from kvviz.session.settings import Settings, first_settings
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec, TokenizerKind


def controls(settings):
    return Controls(
        settings,
        lambda settings: tuple(tuple(text.encode()) for text in settings.prompts),
        lambda: 2**33,
    )


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_preset_can_be_run_and_leaves_the_other_controls_alone(preset):
    start = replace(Settings(), num_layers=7, layout=LayoutKind.CONCAT, batch=2)
    desk = controls(start)
    desk.replace_all(preset.applied(start))
    assert desk.problem == ""
    assert desk.planned.prompt_text == preset.prompt
    layout = preset.layout.kind if preset.layout else LayoutKind.CONCAT
    assert (desk.settings.num_layers, desk.settings.layout, desk.settings.batch) == (7, layout, 2)


def test_the_first_preset_is_what_the_app_opens_with():
    first = first_settings(ModelChoice(ModelSpec(source=ModelSource.BUILT_IN)))
    assert PRESETS[0].applied(first) == first
    assert (first.temperature, first.top_p, first.seed) == (0.8, 0.9, 31)
    assert first_settings(None) == Settings()


def test_a_chat_leaves_room_for_its_turn():
    [chat] = [preset for preset in PRESETS if preset.turn]
    assert chat.name == "Long chat"
    tokenizer = tokenizer_for(TokenizerKind.FILE, str(built_in_model()))
    asked = sum(len(tokenizer.encode(text)) for text in (chat.prompt, chat.turn))
    assert asked + 2 * chat.max_new_tokens <= chat.max_seq_len


def test_a_preset_is_one_step_back():
    desk = controls(Settings())
    desk.replace_all(PRESETS[3].applied(desk.settings))
    assert desk.undo()
    assert desk.settings == Settings()


def test_the_presets_stress_what_they_say():
    short, long, chat = ((len(preset.prompt), preset.max_new_tokens) for preset in PRESETS[1:4])
    assert short[1] > 10 * short[0]
    assert long[0] > 10 * long[1]
    assert min(chat) > 150


def test_a_prefix_is_shared_by_two_presets_of_one_pool():
    first, second = (preset for preset in PRESETS if preset.shares_pool)
    size = first.layout.block_size
    one, other = (controls(preset.applied(Settings())).planned for preset in (first, second))
    assert one.shares_pool
    assert one.prompt_ids[: 2 * size] == other.prompt_ids[: 2 * size]
    assert one.prompt_ids != other.prompt_ids
    assert replace(one, prompt_ids=(1,), prompt_text="") == replace(
        other, prompt_ids=(1,), prompt_text=""
    )


def test_a_preset_takes_the_prompts_of_the_one_before_away():
    batch = next(preset for preset in PRESETS if preset.more_prompts)
    settings = batch.applied(Settings())
    assert len(settings.prompts) == 3
    assert PRESETS[0].applied(replace(settings, row=2)).prompts == (PRESETS[0].prompt,)
