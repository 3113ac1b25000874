import json

import pytest

from kvviz.session.calculator.fields import fields_of
from kvviz.session.calculator.model import (
    from_file,
    from_preset,
    from_text,
    kind_of,
    read_value,
    tutorial_model,
    write_value,
)
from kvviz.sizing.errors import InputError
from kvviz.sizing.presets import load_presets

CONFIG = {
    "model_type": "llama",
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "hidden_size": 512,
    "torch_dtype": "bfloat16",
}


def test_the_tutorials_example_has_its_numbers():
    config = tutorial_model().config
    assert (config.num_layers, config.num_kv_heads, config.head_dim) == (32, 32, 128)
    assert config.assumptions == ()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Meta-Llama-3.1-8B", "GQA 32/8"),
        ("gpt-oss-20b", "12 window, 12 full"),
        ("DeepSeek-V3", "MLA"),
        ("starcoder", "MQA 48/1"),
        ("gemma-3n-E4B", "16 window, 4 full, 15 shared"),
        ("Qwen3.5-27B", "48 state, 16 full"),
        ("whisper-base", "6 full+cross"),
    ],
)
def test_kinds_in_few_words(name, kind):
    assert kind_of(load_presets().find(name).read()) == kind


def test_a_file_is_named_by_its_folder(tmp_path):
    folder = tmp_path / "my-model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    model = from_file(str(folder / "config.json"))
    assert model.name == "my-model"
    assert model.source.endswith("config.json")
    assert model.config.num_kv_heads == 8


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1, 2]", "pasted text: expected an object in braces at the top, not a list."),
        ("{", "pasted text is not valid JSON"),
        ("not json", "pasted text is not valid JSON"),
        ('{"model_type": "bert"}', "pasted text"),
        (
            json.dumps(CONFIG | {"num_hidden_layers": -3}),
            "num_hidden_layers",
        ),
        ('{"model_type": "llama", "num_hidden_layers": ' + "9" * 5000 + "}", "digits"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_bad_text_is_one_sentence(text, said):
    with pytest.raises(InputError) as refused:
        from_text(text)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_value_typed_over_is_read_anew():
    model = from_text(json.dumps(CONFIG))
    changed = model.with_value(("num_key_value_heads",), 2)
    assert changed.config.num_kv_heads == 2
    assert changed.name.endswith(", changed")
    assert model.config.num_kv_heads == 8
    assert changed.with_value(("num_hidden_layers",), 5).name == changed.name


def test_a_value_that_cannot_be_is_refused():
    with pytest.raises(InputError, match="num_hidden_layers"):
        tutorial_model().with_value(("num_hidden_layers",), 0)


def test_nested_values_are_typed_over_where_they_are():
    model = from_preset(load_presets().find("Llama-3.2-11B-Vision"))
    names = [field.name for field in fields_of(model)]
    assert "text_config.num_hidden_layers" in names
    path = ("text_config", "num_key_value_heads")
    assert model.with_value(path, 4).config.layers[0].attention.heads.kv_heads == 4


def test_fields_begin_with_what_every_config_has():
    model = from_text(json.dumps(CONFIG))
    fields = fields_of(model)
    assert [field.name for field in fields[:5]] == [
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "head_dim",
        "hidden_size",
    ]
    assert [field.text for field in fields[:5]] == ["4", "8", "", "", "512"]


@pytest.mark.parametrize("value", [3, "silu", True, None, [1, 2], 0.5])
def test_a_value_is_written_as_it_is_read(value):
    assert read_value(write_value(value)) == value


def test_half_a_list_is_refused():
    with pytest.raises(InputError, match="is no JSON value"):
        read_value("[1, 2")


def test_experts_are_seen_in_nested_configs_too():
    assert from_preset(load_presets().find("gpt-oss-20b")).has_experts
    assert not tutorial_model().has_experts
