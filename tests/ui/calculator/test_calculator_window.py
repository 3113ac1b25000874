import json

import pytest
from dropped import mime_of
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication
from still_worker import ready

from kvviz.ui.preferences import PreferencesFile
from kvviz.ui.top_bar import CALCULATOR, PLAYGROUND
from kvviz.ui.window import MainWindow

NO_KEYS = Qt.KeyboardModifier.NoModifier
CONFIG = {
    "model_type": "llama",
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "hidden_size": 512,
}


def config_file(folder):
    path = folder / "config.json"
    path.write_text(json.dumps(CONFIG))
    return path


def drop(widget, path):
    mime = mime_of(QUrl.fromLocalFile(str(path)))
    for kind in (QDragEnterEvent, QDropEvent):
        at = QPoint(400, 300) if kind is QDragEnterEvent else QPointF(400, 300)
        event = kind(at, Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, NO_KEYS)
        QApplication.sendEvent(widget, event)
        assert event.isAccepted()


@pytest.fixture
def window(qtbot, dressed, worker, store):
    window = MainWindow(worker, store, dressed, PreferencesFile())
    window.resize(1440, 900)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    ready(store, worker)
    yield window
    window.close()
    window.deleteLater()


@pytest.fixture
def part(window):
    window.show_part(CALCULATOR)
    return window.calculator


def test_it_is_made_when_first_shown(window):
    assert window._calculator is None
    assert window.calculator_if_shown is None
    window.top_bar.tabs.chosen.emit(CALCULATOR)
    assert window.calculator_if_shown is window.calculator
    window.show_part(PLAYGROUND)
    assert window.calculator_if_shown is None


def test_its_buttons_stand_in_the_bar_while_it_is_shown(window, part):
    assert part.tools.isVisible()
    assert not window.top_bar.model.isVisible()
    window.show_part(PLAYGROUND)
    assert not part.tools.isVisible()
    assert window.top_bar.model.isVisible()


@pytest.mark.parametrize(
    ("button", "begins"),
    [("markdown", "**KV cache of"), ("text", "KV cache of"), ("csv", "figure,value")],
)
def test_the_answer_is_copied(window, part, button, begins):
    getattr(part.tools, button).click()
    assert QGuiApplication.clipboard().text().startswith(begins)
    assert "clipboard" in window.store.notice.text


def test_the_picture_is_saved(qtbot, window, part, answers, tmp_path):
    window.files._dialogs = answers
    answers.path = str(tmp_path / "page.svg")
    part.tools.picture.click()
    qtbot.waitUntil(lambda: not window.files.busy)
    assert b"<svg" in (tmp_path / "page.svg").read_bytes()


def test_run_this_shape_goes_to_the_playground(qtbot, window, part):
    part.desk.choose(part.desk.presets.find("Meta-Llama-3.1-8B"))
    part.tools.run_button.click()
    settings = window.store.controls.settings
    assert window.top_bar.tabs.current == PLAYGROUND
    assert settings.num_heads == 4 * settings.num_kv_heads
    assert settings.head_dim == 128
    assert settings.model is None
    assert window.store.controls.problem == ""
    qtbot.waitUntil(lambda: window.store.notice is not None)
    assert window.store.runs.shown is not None
    assert "random weights" in window.store.notice.text
    assert not window.store.notice.is_error


def test_a_shape_that_cannot_run_is_refused_where_one_is(window, part):
    part.desk.choose(part.desk.presets.find("falcon-mamba-7b"))
    part.tools.run_button.click()
    assert window.top_bar.tabs.current == CALCULATOR
    assert "has none" in part.page.notice.text


def test_keys_mean_the_calculators_own_while_it_is_shown(qtbot, window, part):
    before = window.store.controls.settings
    part.desk.ask("tokens", 8192)
    qtbot.keySequence(part.page, "Ctrl+Z")
    assert part.desk.sheet.question.tokens == 4096
    qtbot.keySequence(part.page, "Ctrl+Shift+Z")
    assert part.desk.sheet.question.tokens == 8192
    assert window.store.controls.settings == before


def test_ctrl_o_opens_a_config(qtbot, window, part, tmp_path):
    path = config_file(tmp_path)
    part.ask = lambda folder: part.desk.open_path(str(path))
    qtbot.keySequence(part.page, "Ctrl+O")
    qtbot.waitUntil(lambda: not part.desk.busy)
    assert part.desk.sheet.model.config.num_layers == 4


def test_esc_takes_a_refusal_away(qtbot, window, part):
    part.desk.ask("tokens", 0)
    assert part.page.notice.text
    qtbot.keySequence(part.page, "Esc")
    assert part.page.notice.text == ""
    assert part.desk.calculator.problem == ""


def test_ctrl_v_sizes_what_is_on_the_clipboard(qtbot, window, part):
    QGuiApplication.clipboard().setText(json.dumps(CONFIG))
    qtbot.keySequence(part.page, "Ctrl+V")
    assert part.desk.sheet.model.name == "pasted text"
    assert part.desk.sheet.model.config.num_layers == 4


@pytest.mark.parametrize("shown", ["Playground", "Lessons"])
def test_a_config_dropped_on_the_window_shows_the_calculator(qtbot, window, tmp_path, shown):
    window.show_part(shown)
    drop(window, config_file(tmp_path))
    qtbot.waitUntil(lambda: window.calculator_if_shown is not None)
    assert window.top_bar.tabs.current == CALCULATOR
    assert window.calculator.desk.sheet.model.config.num_layers == 4
    assert window.calculator.tools.isVisible()
    qtbot.waitUntil(lambda: window.store.shown is not None)


@pytest.mark.parametrize("content", ["{", "[]", '{"model_type": "bert"}', "{}"])
def test_json_that_is_no_config_is_one_sentence(qtbot, window, tmp_path, content):
    (tmp_path / "config.json").write_text(content)
    drop(window, tmp_path / "config.json")
    qtbot.waitUntil(lambda: window.store.notice is not None)
    assert window.store.notice.is_error
    assert "config.json" in window.store.notice.text
    assert "\n" not in window.store.notice.text
    assert window.top_bar.tabs.current == PLAYGROUND
    drop(window, config_file(tmp_path))
    qtbot.waitUntil(lambda: window.calculator_if_shown is not None)
    assert window.store.notice is None


def test_a_drop_on_the_page_opens_it_here(qtbot, window, part, tmp_path):
    drop(part.page, config_file(tmp_path))
    qtbot.waitUntil(lambda: not part.desk.busy)
    assert part.desk.sheet.model.name == tmp_path.name
    assert window.store.notice is None
