import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from kvviz.ui.keys import GROUPS, KEYS, Holder, holder_of, install_keys, key_text, shortcut_of
from kvviz.ui.widgets.segmented import Segmented

ACTIONS = [key.action for key in KEYS if key.sequences]  # the others are only told
COMMON = {"open", "save_run", "run", "stop", "zoom_in", "preferences", "quit"}


@pytest.fixture
def done():
    return []


@pytest.fixture
def window(qtbot, look, done):
    """A window with one of each thing that can have the keyboard, by name."""
    window = QWidget()
    column = QVBoxLayout(window)
    combo = QComboBox()
    combo.addItems(["far", "near", "1"])
    items = QListWidget()
    items.addItems(["far", "near"])
    window.places = {
        "line": QLineEdit(),
        "text": QPlainTextEdit(),
        "spin": QSpinBox(),
        "button": QPushButton("Go"),
        "slider": QSlider(Qt.Orientation.Horizontal),
        "combo": combo,
        "list": items,
        "segmented": Segmented(look, [("a", "A", ""), ("b", "B", "")]),
        "plain": QLabel("view"),
    }
    window.places["plain"].setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    for place in window.places.values():
        column.addWidget(place)
    window.keys = install_keys(window, {a: (lambda a=a: done.append(a)) for a in ACTIONS})
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def focus(window, name):
    place = window.places[name]
    place = place.button("a") if name == "segmented" else place
    place.setFocus()
    return place


def test_every_key_and_every_action_is_there_once():
    texts = [
        QKeySequence(sequence).toString(QKeySequence.SequenceFormat.PortableText)
        for key in KEYS
        for sequence in (*key.sequences, *key.also)
    ]
    assert all(texts)
    assert len(set(texts)) == len(texts)
    assert len(set(ACTIONS)) == len(ACTIONS)
    assert {key.group for key in KEYS} == set(GROUPS)
    assert len({key.sentence for key in KEYS}) == len(KEYS) - 7  # 4 moves, 3 answers, 3 parts


def test_a_missing_action_is_found_when_the_keys_are_installed(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    with pytest.raises(KeyError, match="play"):
        install_keys(window, {})


@pytest.mark.parametrize(
    ("key", "modifier", "action"),
    [
        (Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, "play"),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier, "step_forward"),
        (Qt.Key.Key_Period, Qt.KeyboardModifier.NoModifier, "step_forward"),
        (Qt.Key.Key_Comma, Qt.KeyboardModifier.NoModifier, "step_back"),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier, "cell_right"),
        (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier, "clear"),
        (Qt.Key.Key_Question, Qt.KeyboardModifier.NoModifier, "keys"),
        (Qt.Key.Key_Equal, Qt.KeyboardModifier.ControlModifier, "zoom_in"),
        (Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier, "zoom_in"),
        (Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier, "run"),
        (Qt.Key.Key_Enter, Qt.KeyboardModifier.ControlModifier, "run"),
    ],
)
def test_a_view_with_the_keyboard_leaves_every_key_to_the_window(
    qtbot, window, done, key, modifier, action
):
    place = focus(window, "plain")
    assert all(window.keys.is_on(name) for name in ACTIONS)
    qtbot.keyClick(place, key, modifier)
    assert done == [action]


@pytest.mark.parametrize("name", ["line", "text", "spin"])
def test_what_is_typed_stays_text(qtbot, window, done, name):
    place = focus(window, name)
    assert {action for action in ACTIONS if window.keys.is_on(action)} >= COMMON
    for text in " f?.,":
        qtbot.keyClick(place, text)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Home, Qt.Key.Key_Escape):
        qtbot.keyClick(place, key)
    for key in (Qt.Key.Key_Z, Qt.Key.Key_C, Qt.Key.Key_Left):
        qtbot.keyClick(place, key, Qt.KeyboardModifier.ControlModifier)
    assert done == []
    qtbot.keyClick(place, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(place, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert done == ["run", "save_run"]


def test_a_button_keeps_space(qtbot, window, done):
    button = focus(window, "button")
    with qtbot.waitSignal(button.clicked):
        qtbot.keyClick(button, Qt.Key.Key_Space)
    qtbot.keyClick(button, Qt.Key.Key_Right)
    assert done == ["step_forward"]


@pytest.mark.parametrize("name", ["slider", "combo", "list", "segmented"])
def test_what_moves_by_arrows_keeps_them(qtbot, window, done, name):
    place = focus(window, name)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Home, Qt.Key.Key_End):
        qtbot.keyClick(place, key)
    qtbot.keyClick(place, "1")
    assert done == []
    qtbot.keyClick(place, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert done == ["cell_right"]


def test_arrows_choose_the_next_option(qtbot, window, done):
    qtbot.keyClick(focus(window, "segmented"), Qt.Key.Key_Right)
    assert window.places["segmented"].value == "b"
    assert done == []


def test_space_plays_while_a_slider_has_the_keyboard(qtbot, window, done):
    qtbot.keyClick(focus(window, "slider"), Qt.Key.Key_Space)
    assert done == ["play"]


def test_a_held_key_steps_on_and_plays_once():
    repeating = {key.action for key in KEYS if key.repeats}
    assert {"step_forward", "step_back", "cell_up", "zoom_in"} <= repeating
    assert not {"play", "run", "open", "quit", "undo"} & repeating


def test_nothing_has_the_keyboard():
    assert holder_of(None) is Holder.NOTHING


def test_keys_are_written_for_tooltips():
    assert shortcut_of("play") == key_text("Space")
    assert KEYS[0].text == key_text("Space")
