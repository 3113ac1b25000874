from dataclasses import replace

import pytest

from kvviz.session.controls import Controls
from kvviz.session.presets import PRESETS
from kvviz.session.settings import Settings, first_settings
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_preset_can_be_run_and_leaves_the_other_controls_alone(preset):
    start = replace(Settings(), num_layers=7, layout=LayoutKind.CONCAT, batch=2)
    desk = Controls(start, lambda settings: tuple(settings.prompt.encode()), lambda: 2**33)
    desk.replace_all(preset.applied(start))
    assert desk.problem == ""
    assert desk.planned.prompt_text == preset.prompt
    assert (desk.settings.num_layers, desk.settings.layout, desk.settings.batch) == (
        7,
        LayoutKind.CONCAT,
        2,
    )


def test_the_first_preset_is_what_the_app_opens_with():
    first = first_settings(ModelChoice(ModelSpec(source=ModelSource.BUILT_IN)))
    assert PRESETS[0].applied(first) == first
    assert (first.temperature, first.top_p, first.seed) == (0.8, 0.9, 0)
    assert first_settings(None) == Settings()


def test_a_preset_is_one_step_back():
    desk = Controls(Settings(), lambda settings: tuple(settings.prompt.encode()), lambda: 2**33)
    desk.replace_all(PRESETS[3].applied(desk.settings))
    assert desk.undo()
    assert desk.settings == Settings()


def test_the_presets_stress_what_they_say():
    short, long, chat = ((len(preset.prompt), preset.max_new_tokens) for preset in PRESETS[1:])
    assert short[1] > 10 * short[0]
    assert long[0] > 10 * long[1]
    assert min(chat) > 150
