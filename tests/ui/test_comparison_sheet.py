"""The question which layouts to compare."""

from dataclasses import replace

import pytest
from chart_stand import put_up
from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel

from kvviz.session.layout_choice import MOST_LAYOUTS, PRESETS, base_config
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.ui.comparison.sheet import ComparisonSheet

FREE = 8 * 2**30


@pytest.fixture
def base(store):
    return base_config(store.controls)


def put_up_sheet(qtbot, look, base, layouts, free=FREE):
    sheet = ComparisonSheet(look, base, layouts, free)
    sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)  # the test deletes it
    return put_up(qtbot, sheet)


@pytest.fixture
def sheet(qtbot, look, base):
    return put_up_sheet(qtbot, look, base, PRESETS[0].layouts(base.layout))


@pytest.fixture
def answers(sheet):
    found = []
    sheet.chosen.connect(found.append)
    return found


def type_into(qtbot, edit, text):
    edit.selectAll()
    qtbot.keyClicks(edit, text)


def test_it_begins_with_all_six_and_compares_them(sheet, answers, base):
    assert sheet.compare_button.text() == "Compare 6"
    sheet.compare_button.click()
    assert answers == [PRESETS[0].layouts(base.layout)]


@pytest.mark.parametrize("place", range(len(PRESETS)), ids=lambda n: PRESETS[n].name)
def test_a_preset_fills_the_rows(sheet, base, place):
    sheet.presets[place].click()
    assert sheet.layouts == PRESETS[place].layouts(base.layout)
    assert sheet.compare_button.isEnabled()


def test_numbers_of_a_layout_are_typed_and_others_are_not_there(qtbot, sheet, answers):
    row = sheet.rows[3]
    assert row.kind.value is LayoutKind.PAGED
    assert {name for name, edit in row.numbers.items() if edit.isVisible()} == {"block_size"}
    type_into(qtbot, row.numbers["block_size"], "64")
    assert sheet.layouts[3].block_size == 64
    sheet.compare_button.click()
    assert answers[0][3] == CacheLayout(LayoutKind.PAGED, block_size=64)


@pytest.mark.parametrize(
    ("text", "words"), [("0", "between 1 and 256"), ("257", "between 1 and 256"), ("x", "whole")]
)
def test_a_number_that_cannot_be_is_refused_with_the_reason(qtbot, sheet, text, words):
    row = sheet.rows[3]
    type_into(qtbot, row.numbers["block_size"], text)
    assert words in row.trouble.text()
    assert row.trouble.isVisible()
    assert not sheet.compare_button.isEnabled()
    assert words in sheet.compare_button.toolTip()
    type_into(qtbot, row.numbers["block_size"], "8")
    assert not row.trouble.isVisible()
    assert sheet.compare_button.isEnabled()


def test_a_kind_that_the_model_cannot_have_is_off_and_says_why(qtbot, look, base):
    shape = replace(base.model.shape, windows=(8, *(0,) * (base.model.shape.num_layers - 1)))
    base = replace(base, model=replace(base.model, shape=shape))
    layouts = [CacheLayout(LayoutKind.CONCAT), CacheLayout(LayoutKind.SLIDING)]
    sheet = put_up_sheet(qtbot, look, base, layouts)
    model = sheet.rows[0].kind.model()
    assert isinstance(model, QStandardItemModel)
    off = [model.item(n) for n in range(model.rowCount()) if not model.item(n).isEnabled()]
    assert [item.text() for item in off] == ["Sliding window"]
    assert "windows of their own" in off[0].toolTip()
    assert "windows of their own" in sheet.rows[1].trouble.text()
    assert not sheet.compare_button.isEnabled()


def test_k_and_v_are_stored_apart(qtbot, sheet, answers):
    row = sheet.rows[2]
    for choice, value in ((row.k_dtype, DType.BFLOAT16), (row.v_dtype, DType.FLOAT8_E4M3)):
        choice.set_value(value)
        choice.chosen.emit(value)
    sheet.compare_button.click()
    assert answers[0][2].dtypes == (DType.BFLOAT16, DType.FLOAT8_E4M3)


def test_codes_refuse_a_dtype_that_is_too_coarse_for_their_scales(sheet):
    row = sheet.rows[5]
    row.k_dtype.set_value(DType.FLOAT8_E4M3)
    row.k_dtype.chosen.emit(DType.FLOAT8_E4M3)
    assert "too coarse" in row.trouble.text()
    assert not sheet.compare_button.isEnabled()


def test_rows_come_and_go_and_the_first_is_the_reference(sheet):
    for row in sheet.rows[4:1:-1]:
        row.remove.click()
    assert [row.place.text() for row in sheet.rows] == ["1", "2", "3"]
    sheet.add_button.click()
    assert "twice" in sheet.compare_button.toolTip()
    for row in list(sheet.rows[1:]):
        row.remove.click()
    assert "one more" in sheet.compare_button.toolTip()


def test_more_than_one_can_see_are_not_added(sheet):
    while sheet.add_button.isEnabled():
        sheet.add_button.click()
    assert len(sheet.rows) == MOST_LAYOUTS
    assert str(MOST_LAYOUTS) in sheet.add_button.toolTip()


def test_memory_that_is_not_there_is_the_reason(qtbot, look, base):
    layouts = PRESETS[0].layouts(base.layout)
    sheet = put_up_sheet(qtbot, look, base, layouts, base.cost.total * 3 // 2)
    assert "fewer layouts" in sheet.compare_button.toolTip()
    assert sheet.cost.text() == ""


def test_escape_leaves_everything_as_it_is(qtbot, sheet, answers):
    qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    assert answers == []
