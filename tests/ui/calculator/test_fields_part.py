import pytest
from chart_stand import put_up
from PySide6.QtCore import Qt

from kvviz.ui.calculator.fields_part import FieldsPart


@pytest.fixture
def part(qtbot, dressed, desk):
    part = put_up(qtbot, FieldsPart(desk, dressed), 320, 600)
    part.more.click()
    return part


def test_a_value_is_typed_over(part, desk):
    part.rows["num_hidden_layers"].typed.emit("16")
    assert desk.calculator.answer.size.total_bytes == 2**30
    assert desk.sheet.model.name.endswith(", changed")


def test_what_is_half_typed_is_not_taken_for_the_next_model(part, desk):
    row = part.rows["num_hidden_layers"]
    desk.choose(desk.presets.find("gemma-3-27b-it"))
    row.typed.emit("3")  # a row that goes away loses the focus, and with it hands over its text
    assert desk.sheet.model.name == "gemma-3-27b-it"
    assert desk.sheet.model.config.num_layers == 62


@pytest.mark.parametrize("typed", ["[1", "nan", "9" * 5000, "-1", "true"])
def test_what_cannot_be_leaves_the_model_and_its_row(part, desk, typed):
    row = part.rows["num_hidden_layers"]
    row.typed.emit(typed)
    assert desk.calculator.problem
    assert (desk.sheet.model.config.num_layers, row.text) == (32, "32")


def test_one_of_a_thing_is_no_plural(part):
    part.rows["num_hidden_layers"].typed.emit("1")
    part.rows["num_key_value_heads"].typed.emit("1")
    assert ": 1 layer, 1 KV head\n" in part.source.text()


def test_what_a_file_says_is_shown_tags_and_all(part):
    for words in (part.source, part.assumed):
        assert words.textFormat() is Qt.TextFormat.PlainText
