import json

import pytest
from chart_stand import move_mouse, put_up
from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QSlider, QWidget

from kvviz.sizing.policy import Engine
from kvviz.sizing.presets import load_presets
from kvviz.ui.calculator.page import CalculatorPage
from kvviz.ui.export import picture_of

GIB = 2**30


@pytest.fixture
def page(qtbot, dressed, desk):
    return put_up(qtbot, CalculatorPage(desk, dressed), 1440, 852)


def choose(desk, name):
    desk.choose(load_presets().find(name))


def drag(qtbot, row, share):
    """Press the slider's handle and move it to a share of its way; it stays pressed."""
    slider = row.slider
    start = QPointF(slider.x_of(slider.value()), slider.height() / 2).toPoint()
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=start)
    to = slider.x_of(round(share * slider.maximum()))
    move_mouse(slider, to, slider.height() / 2, Qt.MouseButton.LeftButton)
    return slider


def type_into(qtbot, edit, text):
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, text)
    qtbot.keyClick(edit, Qt.Key.Key_Return)


def test_no_part_of_it_is_ever_a_window_of_its_own(qapp, dressed, desk):
    watch = WindowWatch()
    qapp.installEventFilter(watch)
    CalculatorPage(desk, dressed).deleteLater()
    qapp.removeEventFilter(watch)
    assert watch.shown == []


class WindowWatch(QObject):
    """Writes down every widget that is shown as a window."""

    def __init__(self):
        super().__init__()
        self.shown = []

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(watched)
        return False


def test_the_first_answer_is_two_gib(page):
    assert page.total.binary.text() == "2.00 GiB"
    assert page.total.decimal.text() == "2.15 GB"
    assert page.total.verdict.text().startswith("fits")
    assert page.formula.lines.lines[-1] == "total = 2,147,483,648 B (2.00 GiB)"


def test_the_answer_moves_while_a_slider_is_dragged(qtbot, page, desk):
    slider = drag(qtbot, page.load.tokens, 0.8)
    tokens = desk.calculator.answer.load.tokens
    assert tokens > 4096
    assert page.load.tokens.value == tokens
    assert page.formula.lines.lines[0].startswith(f"32 layers full: 32 x {tokens:,} cells")
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton)
    desk.undo()
    assert page.load.tokens.value == 4096
    assert page.total.binary.text() == "2.00 GiB"


def test_a_number_may_be_typed_that_no_stop_has(qtbot, page, desk):
    type_into(qtbot, page.load.tokens.edit, "100,003")
    assert desk.calculator.answer.load.tokens == 100_003
    assert page.total.verdict.text().startswith("does not fit")


def test_a_refusal_is_told_and_the_answer_stays(qtbot, page, desk):
    type_into(qtbot, page.machine.tp.edit, "3")
    assert "3 GPUs" in page.notice.text
    assert page.total.binary.text() == "2.00 GiB"
    assert page.machine.tp.value == 1
    type_into(qtbot, page.machine.tp.edit, "2")
    assert page.notice.text == ""
    assert desk.calculator.answer.policy.tp == 2


def test_search_finds_by_words_and_enter_takes_the_first(qtbot, page, desk):
    qtbot.keyClicks(page.model.search, "3.1 8b")
    assert page.model.list.visible_names() == ["Meta-Llama-3.1-8B"]
    qtbot.keyClick(page.model.search, Qt.Key.Key_Return)
    assert desk.sheet.model.name == "Meta-Llama-3.1-8B"
    assert page.total.binary.text() == "512 MiB"
    qtbot.keyClick(page.model.search, Qt.Key.Key_Escape)
    assert len(page.model.list.visible_names()) > 80


def test_arrows_in_the_list_choose_as_they_go(qtbot, page, desk):
    page.model.list.setFocus()
    qtbot.keyClick(page.model.list, Qt.Key.Key_Down)
    first = desk.sheet.model.name
    assert first != "The tutorial's example"
    qtbot.keyClick(page.model.list, Qt.Key.Key_Up)
    assert desk.sheet.model.name == "The tutorial's example"


def test_what_a_model_does_not_have_is_not_asked(page, desk):
    assert page.load.mla_row.isHidden()
    choose(desk, "DeepSeek-V3")
    assert not page.load.mla_row.isHidden()
    choose(desk, "gpt-oss-20b")
    assert page.load.mla_row.isHidden()
    assert not page.load.windows_row.isHidden()


def test_types_of_k_and_v_may_differ(page, desk):
    page.load.more.click()
    page.load.v_type.chosen.emit("q4_0")
    assert desk.calculator.answer.policy.v_type.name == "q4_0"
    assert desk.calculator.answer.policy.k_type.name == "bfloat16"
    assert page.load.kv_type.currentText() == "K and V differ"
    page.load.kv_type.chosen.emit("q8_0")
    assert desk.calculator.answer.policy.v_type.name == "q8_0"


def test_the_usual_type_is_the_models_or_the_engines_and_can_be_had_back(page, desk):
    kv_type = page.load.kv_type
    assert kv_type.currentText() == "bfloat16   as usual"
    desk.take(desk.sheet.with_engine(Engine.LLAMA_CPP), "engine")
    assert kv_type.currentText() == "float16   as usual"
    kv_type.chosen.emit("q8_0")
    assert kv_type.currentText() == "q8_0   8.5 bit"
    kv_type.chosen.emit("as usual")
    assert desk.calculator.answer.policy.v_type.name == "float16"


def test_a_refusal_does_not_move_what_is_being_typed_into(qtbot, page):
    row = page.machine.memory
    before = row.mapTo(page, row.rect().topLeft())
    row.typed.emit("24")
    qtbot.waitUntil(page.notice.isVisible)
    page.layout().activate()
    assert row.mapTo(page, row.rect().topLeft()) == before


def test_engines_switch_off_what_they_do_not_have(page, desk):
    page.load.engine.button(page.load.engine.value).click()
    page.load.engine.chosen.emit("llama.cpp")
    assert not page.load.block_size.isEnabled()
    assert "cells, not blocks" in page.load.block_size.toolTip()
    assert not page.machine.tp.isEnabled()
    page.load.engine.chosen.emit("vllm")
    assert page.load.block_size.isEnabled()


def test_a_typed_card_is_a_machine_of_its_own(qtbot, page, desk):
    type_into(qtbot, page.machine.memory.edit, "80GiB")
    assert desk.calculator.answer.budget.memory == 80 * GIB
    assert page.machine.card.value == "typed"
    page.machine.more.click()
    type_into(qtbot, page.machine.bandwidth.edit, "2000 GB/s")
    assert desk.sheet.card.hardware.bandwidth == 2 * 10**12
    type_into(qtbot, page.machine.flops.edit, "0.5 PFLOP/s")
    assert page.notice.text == "'0.5 PFLOP/s' is not a speed such as 165 TFLOP/s."
    type_into(qtbot, page.machine.flops.edit, "500 TFLOP/s")
    assert desk.sheet.card.hardware.flops == 5 * 10**14
    page.machine.card.chosen.emit("H100 SXM")
    assert desk.sheet.card.name == "H100 SXM"


def test_weights_can_be_typed_where_they_are_not_known(qtbot, page, desk):
    choose(desk, "Step-3.7-Flash")
    assert "weights" in page.total.verdict.text()
    type_into(qtbot, page.machine.weights.edit, "1.2B")
    assert page.total.verdict.text().startswith("fits")


def test_fields_are_typed_over_and_bad_ones_refused(qtbot, page, desk):
    page.fields.more.click()
    row = page.fields.rows["num_key_value_heads"]
    type_into(qtbot, row.edit, "4")
    assert page.total.binary.text() == "256 MiB"
    assert page.fields.rows["num_key_value_heads"].text == "4"
    type_into(qtbot, page.fields.rows["num_attention_heads"].edit, "31")
    assert page.notice.text.endswith(".")
    assert page.fields.rows["num_attention_heads"].text == "32"
    assert page.total.binary.text() == "256 MiB"


def test_a_search_that_finds_nothing_says_so(qtbot, page):
    before = page.model.list.grab().toImage()
    qtbot.keyClicks(page.model.search, "no such model")
    assert page.model.list.first() is None
    assert page.model.list.grab().toImage() != before
    qtbot.keyClick(page.model.search, Qt.Key.Key_Return)
    assert page.total.binary.text() == "2.00 GiB"


def test_a_config_is_pasted(qtbot, page, desk):
    raw = {
        "model_type": "llama",
        "num_hidden_layers": 4,
        "num_attention_heads": 8,
        "num_key_value_heads": 8,
        "hidden_size": 512,
    }
    QGuiApplication.clipboard().setText(json.dumps(raw))
    page.paste()
    assert desk.sheet.model.name == "pasted text"
    assert page.total.binary.text() == "32.0 MiB"
    QGuiApplication.clipboard().setText("nonsense")
    page.paste()
    assert "not valid JSON" in page.notice.text
    assert page.total.binary.text() == "32.0 MiB"


def test_heads_are_compared_where_there_are_some(page, desk):
    choose(desk, "Meta-Llama-3.1-8B")
    assert [bar.name for bar in page.heads.bars.bars] == ["MHA, 32 KV heads", "GQA, 8", "MQA, 1"]
    choose(desk, "falcon-mamba-7b")
    assert page.heads.isHidden()


def test_the_strip_says_what_each_layer_owns(page, desk):
    choose(desk, "gpt-oss-20b")
    strip = page.layers.strip
    assert strip.layer_at(0) == 0
    assert strip.layer_at(strip.width() - 1) == 23
    assert strip.explained(QPointF(0, 9)) == "Layer 0: sliding of 128, 256 KiB (262,144 B)"
    assert page.layers.kinds.text().startswith(f"12 {chr(215)} sliding of 128, 256 KiB each")


def test_notes_list_what_was_assumed(page, desk):
    desk.ask("tokens", 10**6)
    choose(desk, "Meta-Llama-3.1-8B")
    assert "1,000,000 tokens are beyond the model's 131,072 positions" in page.notes.warnings.text()
    assert page.fields.assumed.text().startswith("head_dim 128")


def test_the_bar_adds_up_to_the_memory(page, desk):
    assert sum(size for _, size in page.total.bar.segments()) == 24 * GIB
    desk.ask("tokens", 100_000)
    names = [name for name, _ in page.total.bar.segments()]
    assert "free" not in names


def test_every_control_says_what_it_does(page):
    page.load.more.click()
    page.machine.more.click()
    page.fields.more.click()
    kinds = (QAbstractButton, QComboBox, QLineEdit, QSlider)
    silent = []
    for kind in kinds:
        for control in page.findChildren(kind):
            if not control.isVisibleTo(page):
                continue
            parents = [control, control.parentWidget(), control.parentWidget().parentWidget()]
            if not any(widget.toolTip() for widget in parents if widget is not None):
                silent.append(control.accessibleName() or control)
    assert silent == []


@pytest.mark.parametrize(("width", "beside"), [(1440, True), (1280, True), (1000, False)])
def test_charts_go_under_the_answer_where_there_is_no_room(page, width, beside):
    page.resize(width, 672)
    assert page.side_by_side is beside
    assert page.charts.context.chart.width() >= 300


@pytest.mark.parametrize("zoom", [0.75, 1.5, 2.0])
def test_everything_follows_the_zoom(page, dressed, zoom):
    dressed.set_zoom(zoom)
    page.grab()
    assert page.charts.context.chart.width() > 0
    dressed.set_zoom(1.0)
    assert page.side_by_side


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_page_is_a_picture(page, suffix):
    assert len(picture_of(page, suffix)) > 10_000
