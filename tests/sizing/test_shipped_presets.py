import json

import pytest

from kvviz.sizing.answer import ask
from kvviz.sizing.errors import InputError
from kvviz.sizing.parameters import count_parameters
from kvviz.sizing.presets import load_presets
from kvviz.sizing.question import Question

SHIPPED = load_presets()


def test_the_golden_models_and_more_come_along():
    assert len(SHIPPED.by_name) >= 75
    assert SHIPPED.problems == ()


@pytest.mark.parametrize("preset", SHIPPED.by_name.values(), ids=lambda preset: preset.name)
def test_every_preset_is_sized_and_says_where_it_is_from(preset):
    assert ask(preset.read(), Question()).size.total_bytes > 0
    assert len(preset.source) > 10


def test_counted_weights_are_the_published_ones():
    counted = 0
    for preset in SHIPPED.by_name.values():
        found = count_parameters(preset.config, preset.read(), preset.name)
        if found and preset.parameters:
            assert found == pytest.approx(preset.parameters, rel=1e-3), preset.name
            counted += 1
    assert counted >= 8


def test_a_name_in_any_case_or_a_near_one():
    assert SHIPPED.find("qwen3-8b").name == "Qwen3-8B"
    with pytest.raises(InputError, match="did you mean Qwen3-8B"):
        SHIPPED.find("Qwen3-8")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not valid JSON"),
        ('{"models": 1}', "models must be a list"),
        ('{"models": [{"name": "a"}]}', "needs name, source and config"),
        ('{"models": [{"name": "a", "source": "b", "config": [1]}]}', "needs name, source"),
        (
            '{"models": [{"name": "a", "source": "b", "config": {}, "parameters": "7B"}]}',
            "parameters of 'a' must be an integer",
        ),
        ("<<<<<<< HEAD\n{}", "is not valid JSON: line 1"),
    ],
)
def test_a_damaged_file_leaves_the_rest(tmp_path, content, said):
    good = {"models": [{"name": "Good", "source": "somewhere", "config": {"model_type": "llama"}}]}
    (tmp_path / "a.json").write_text(content)
    (tmp_path / "b.json").write_text(json.dumps(good))

    found = load_presets(tmp_path)
    assert list(found.by_name) == ["good"]
    [problem] = found.problems
    assert said in problem
    assert "a.json" in problem
