import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from kvviz.session.runs import RunState
from kvviz.session.selection import GridMode
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.file import save_trace
from kvviz.ui.preferences import PreferencesFile
from kvviz.ui.start import build_window
from kvviz.ui.theme import ThemeChoice
from kvviz.ui.top_bar import CALCULATOR, LESSONS, PLAYGROUND
from kvviz.ui.widgets.label import Label


def ended(window):
    store = window.store
    run = store.shown
    return run is not None and not run.live and not store.playback.playing and store.frames.idle


@pytest.fixture
def played(qtbot, window):
    qtbot.waitUntil(lambda: ended(window) and window.store.pictures.complete)
    return window


def colours(widget):
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    return data[:, : image.width(), 2::-1].astype(int)


def near(pixels, colour, distance):
    wanted = np.array([QColor(colour).red(), QColor(colour).green(), QColor(colour).blue()])
    return (np.abs(pixels - wanted).max(axis=-1) <= distance).sum()


def test_the_default_prompt_plays_by_itself(played):
    store = played.store
    assert store.shown.state is RunState.FINISHED
    assert len(store.trace) == 24
    assert store.cursor == 23
    assert "preallocated" in played.windowTitle()
    assert all(step.measured == step.predicted for step in store.trace.steps)


def test_prefill_is_blue_decode_red_and_the_future_black(played):
    theme = played.look.theme
    pixels = colours(played.playground.centre.grid)
    assert near(pixels, theme.prefill, 6) > 500
    assert near(pixels, theme.decode, 6) > 1000
    assert near(pixels, theme.masked, 3) > 20_000


def test_steps_go_both_ways(played):
    store = played.store
    store.seek(5)
    store.step_by(-1)
    assert store.cursor == 4
    store.step_by(1)
    store.step_by(1)
    assert store.cursor == 6
    store.step_by(99)
    assert store.cursor == 23
    store.seek(-1)
    assert store.rows == 0


def test_a_slider_at_rest_runs_and_undo_brings_the_settings_back(qtbot, played):
    store = played.store
    store.change("num_layers", 2)
    qtbot.waitUntil(lambda: len(store.runs.runs) == 2 and ended(played))
    assert store.trace.config.model.shape.num_layers == 2
    store.undo()
    qtbot.waitUntil(lambda: len(store.runs.runs) == 3 and ended(played))
    assert store.trace.config.model.shape.num_layers == 4


def test_run_pressed_twenty_times_ends_in_one_run(qtbot, played):
    store = played.store
    first = store.shown
    for _ in range(20):
        store.run()
    qtbot.waitUntil(lambda: ended(played) and store.runs.live is None)
    states = [run.state for run in store.runs.runs]
    assert states[-1] is RunState.FINISHED
    assert first in store.runs.runs
    assert set(states) <= {RunState.FINISHED, RunState.CANCELLED}


def test_enter_in_the_prompt_hands_the_keyboard_to_the_run(qtbot, played):
    edit = played.playground.controls.prompt.edit
    played.activateWindow()
    edit.setFocus()
    qtbot.waitUntil(edit.hasFocus)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert not edit.hasFocus()


def test_words_follow_the_theme(qtbot, window):
    for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK, ThemeChoice.LIGHT):
        window.look.choose(choice)
        for label in window.findChildren(Label):
            assert label.palette().windowText().color() == window.look.color(label.tone), (
                label.text()
            )


def test_the_theme_button_always_changes_what_is_seen(qtbot, window):
    for choice in ThemeChoice:
        window.look.choose(choice)
        was_dark = window.look.theme.is_dark
        qtbot.mouseClick(window.top_bar.theme_button, Qt.MouseButton.LeftButton)
        assert window.look.theme.is_dark != was_dark


def test_a_proof_finds_the_same_tokens(qtbot, played):
    store = played.store
    store.prove()
    qtbot.waitUntil(lambda: store.proof is not None)
    assert store.proof.same_tokens
    assert store.proof.max_logit_gap < 1e-4
    assert store.runs.reference.config.layout.kind is LayoutKind.NONE


def test_a_run_goes_on_with_more_tokens_and_with_text(qtbot, played):
    store = played.store
    store.continue_run(4)
    qtbot.waitUntil(lambda: ended(played) and len(store.trace.generated_ids) == 28)
    store.continue_run(2, "and")
    qtbot.waitUntil(lambda: ended(played) and len(store.trace.generated_ids) == 30)
    assert store.trace.seq_len == 18 + 28 + 3 + 1
    store.continue_run(500)
    assert "sequence limit" in store.notice.text


def test_a_saved_run_opens_again(qtbot, played, tmp_path):
    store = played.store
    path = tmp_path / "run.safetensors"
    first = store.trace
    save_trace(first, path)
    played.files.open_path(str(path))
    qtbot.waitUntil(lambda: store.trace is not first)
    assert store.trace.generated_ids == first.generated_ids
    assert store.shown.state is RunState.FINISHED
    assert store.controls.settings.prompt == "The cat sat on the"


@pytest.mark.parametrize("page", [LESSONS, CALCULATOR])
def test_a_run_opened_on_another_page_is_seen(qtbot, played, tmp_path, page):
    save_trace(played.store.trace, tmp_path / "a.safetensors")
    played.show_part(page)
    played.files.open_path(str(tmp_path / "a.safetensors"))
    qtbot.waitUntil(played.playground.isVisible)
    assert played.top_bar.tabs.current == PLAYGROUND


def test_a_damaged_file_is_a_sentence_and_nothing_is_lost(qtbot, played, tmp_path):
    store = played.store
    path = tmp_path / "bad.safetensors"
    path.write_bytes(b"\x80\x04pickled")
    played.files.open_path(str(path))
    qtbot.waitUntil(lambda: store.notice is not None)
    assert str(path) in store.notice.text
    assert len(store.trace) == 24


@pytest.mark.parametrize("size", [(1280, 720), (640, 480), (2560, 1440)])
def test_the_window_draws_at_odd_sizes_and_themes(qtbot, played, size):
    played.resize(*size)
    for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK):
        played.look.choose(choice)
        played.store.select(mode=GridMode.WEIGHTS)
        assert len(np.unique(colours(played).reshape(-1, 3), axis=0)) > 50


def test_closing_in_the_middle_of_a_run_ends_every_thread(qtbot, window):
    store = window.store
    qtbot.waitUntil(lambda: store.trace is not None and len(store.trace) > 0)
    store.change("max_seq_len", 2048)
    store.change("max_new_tokens", 1500)
    store.run()
    qtbot.waitUntil(lambda: len(store.trace) > 20)
    window.close()
    assert not window.isVisible()


def test_preferences_are_kept(qtbot, window, preferences):
    window.look.set_zoom(1.25)
    window.close()
    again = PreferencesFile()
    assert again.values.zoom == 1.25
    assert again.values.theme is ThemeChoice.DARK


def test_a_window_of_a_larger_screen_opens_within_this_one(qtbot, preferences):
    preferences.values.width, preferences.values.height = 9000, 9000
    preferences.values.left, preferences.values.top = 0, 0
    window = build_window(QApplication.instance(), preferences)
    qtbot.addWidget(window)
    room = window.screen().availableSize()
    assert window.width() <= room.width()
    assert window.height() < room.height()  # and its title bar
    window.close()


def test_the_worker_starts_once_the_window_is_painted(qtbot, preferences, monkeypatch):
    order = []
    window = build_window(QApplication.instance(), preferences)
    qtbot.addWidget(window)

    class Eye(QObject):
        def eventFilter(self, watched, event):
            if event.type() == QEvent.Type.Paint:
                order.append("painted")
            return False

    eye = Eye(window)
    window.installEventFilter(eye)
    monkeypatch.setattr(window, "_begin", lambda: order.append("worker"))
    window.show()
    qtbot.waitUntil(lambda: "worker" in order)
    assert order[0] == "painted"
