import json

import pytest
from dropped import mime_of
from PySide6.QtCore import QUrl

from kvviz.sizing.presets import load_presets
from kvviz.ui.calculator.desk import FIRST_PINS, CalculatorDesk

CONFIG = {
    "model_type": "llama",
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "hidden_size": 512,
    "torch_dtype": "bfloat16",
}
GIB = 2**30


@pytest.fixture
def said(desk):
    """Every refusal that was told."""
    told = []
    desk.changed.connect(lambda: told.append(desk.calculator.problem))
    return told


def write(folder, text):
    path = folder / "config.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def opened(qtbot, desk, path):
    desk.open_path(path)
    qtbot.waitUntil(lambda: not desk.busy)


def test_it_begins_with_known_models_pinned(desk):
    assert [model.name for model in desk.calculator.pins] == list(FIRST_PINS)


def test_a_file_is_opened_beside_the_window(qtbot, desk, said, tmp_path):
    opened(qtbot, desk, write(tmp_path, json.dumps(CONFIG)))
    assert said == [""]
    assert desk.calculator.answer.size.total_bytes == 4096 * 4 * 2 * 128 * 2
    assert desk.sheet.model.name == tmp_path.name


def test_a_folder_stands_for_its_config(qtbot, desk, tmp_path):
    write(tmp_path, json.dumps(CONFIG))
    opened(qtbot, desk, str(tmp_path))
    assert desk.sheet.model.config.num_layers == 4


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1]",
        "\0",
        b"\xff\xfe{\0}\0",
        '{"num_hidden_layers": 3, "num_hidden_layers": 4}',
        '{"model_type": "something_new", "num_hidden_layers": 3}',
        json.dumps(CONFIG | {"num_attention_heads": 7}),
        json.dumps(CONFIG | {"num_hidden_layers": True}),
        "<html>not found</html>",
        "[" * 50_000,
    ],
)
def test_a_bad_file_is_one_sentence_and_the_answer_stays(qtbot, desk, said, tmp_path, text):
    before = desk.calculator.reply
    opened(qtbot, desk, write(tmp_path, text))
    assert len(said) == 1
    assert said[0].endswith(".")
    assert "\n" not in said[0]
    assert "Error" not in said[0]
    assert desk.calculator.reply is before


def test_a_file_that_is_not_there_is_a_sentence(qtbot, desk, said, tmp_path):
    opened(qtbot, desk, str(tmp_path / "none.json"))
    assert "none.json" in said[0]


def test_a_second_file_waits_for_the_first(qtbot, desk, said, tmp_path):
    path = write(tmp_path, json.dumps(CONFIG))
    desk.open_path(path)
    desk.open_path(path)
    assert "still being read" in said[0]
    qtbot.waitUntil(lambda: not desk.busy)
    assert said[-1] == ""


def test_what_is_read_while_the_window_closes_is_dropped(desk, said, tmp_path):
    desk.open_path(write(tmp_path, "{"))
    desk.shut_down()
    assert said == []


def test_a_config_can_be_pasted(desk, said):
    desk.paste(json.dumps(CONFIG | {"_name_or_path": "org/my-model"}))
    assert desk.sheet.model.name == "my-model"
    desk.paste("   ")
    assert said[-1] == "There is no text on the clipboard: copy a config.json first."
    assert desk.sheet.model.name == "my-model"


def test_text_and_files_can_be_dropped(qtbot, desk, tmp_path):
    desk.drop(mime_of(text=json.dumps(CONFIG)))
    assert desk.sheet.model.config.num_layers == 4
    desk.undo()
    desk.drop(mime_of(QUrl.fromLocalFile(write(tmp_path, json.dumps(CONFIG)))))
    qtbot.waitUntil(lambda: not desk.busy)
    assert desk.sheet.model.config.num_layers == 4


def test_two_things_dropped_are_refused(desk, said):
    desk.drop(mime_of("file:///a", "file:///b"))
    assert said[0].startswith("2 things were dropped")


def test_every_preset_is_answered_or_refused_in_a_sentence(desk, said):
    for preset in load_presets().by_name.values():
        desk.choose(preset)
        assert said[-1] == "" or said[-1].endswith(".")
    assert said.count("") >= 80


def test_a_value_is_edited_and_taken_back(desk):
    desk.edit(("num_key_value_heads",), 8)
    assert desk.calculator.answer.size.total_bytes == GIB // 2
    desk.undo()
    assert desk.calculator.answer.size.total_bytes == 2 * GIB
    desk.redo()
    assert desk.calculator.answer.size.total_bytes == GIB // 2


def test_too_many_pins_are_refused(desk, said):
    desk.pin(True)
    desk.choose(load_presets().find("phi-2"))
    desk.pin(True)
    assert said[-1].startswith("4 models are pinned")
    desk.unpin("DeepSeek-V3")
    desk.pin(True)
    assert said[-1] == ""
    assert desk.calculator.is_pinned("phi-2")


def test_a_damaged_preset_file_is_told_and_the_rest_is_there(qapp, tmp_path):
    good = {"models": [{"name": "mine", "source": "me", "config": CONFIG}]}
    (tmp_path / "a.json").write_text(json.dumps(good))
    (tmp_path / "b.json").write_text("<<<<<<< HEAD")
    desk = CalculatorDesk(load_presets(tmp_path))
    assert list(desk.presets.by_name) == ["mine"]
    assert "b.json" in desk.calculator.problem
    assert desk.calculator.answer.size.total_bytes == 2 * GIB
