"""Every key of the window, once: the shortcuts and the sheet of keys both read this table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Flag, auto

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from kvviz.ui.widgets.segmented import Segmented


class Holder(Flag):
    """What has the keyboard, as far as a key may mean something else there."""

    NOTHING = 0
    TEXT = auto()
    BUTTON = auto()
    SLIDER = auto()
    CHOICE = auto()  # a list, a drop-down, options side by side


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that keys do; it is left alone while one of ``yields_to`` has the keyboard.

    ``also`` do the same and are not shown; without sequences, keys of another action mean this
    there, and are only told.  Keys of one sentence are one line of the sheet,
    written as the first one's ``shown``.
    """

    sequences: tuple[str, ...]
    action: str
    sentence: str
    group: str
    yields_to: Holder = Holder.TEXT
    repeats: bool = False
    also: tuple[str, ...] = ()
    shown: str = ""

    @property
    def text(self) -> str:
        """The keys as this system writes them."""
        return self.shown or "  ".join(key_text(sequence) for sequence in self.sequences)


RUN, VIEW, LESSON, FILE, APP = "Run", "View", "Lessons", "Files", "Application"
MOVES = Holder.TEXT | Holder.SLIDER | Holder.CHOICE
LETTERS = Holder.TEXT | Holder.CHOICE
NEVER = Holder.NOTHING
CELL, ANSWER = "Move the cell cursor", "Answer a lesson's question"
PARTS = "Playground, lessons, calculator"

KEYS = (
    Key(("Space",), "play", "Play or pause", RUN, LETTERS | Holder.BUTTON),
    Key(("Right", "."), "step_forward", "One step on", RUN, MOVES, repeats=True),
    Key(("Left", ","), "step_back", "One step back", RUN, MOVES, repeats=True),
    Key(("Home",), "to_start", "Before the first step", RUN, MOVES),
    Key(("End",), "to_end", "The newest step", RUN, MOVES),
    Key(("Ctrl+Return",), "run", "Run the prompt", RUN, NEVER, also=("Ctrl+Enter",)),
    Key(("Ctrl+.",), "stop", "Stop the run", RUN, NEVER),
    Key(("C",), "compare", "Compare layouts", RUN, LETTERS),
    Key(("Ctrl+Z",), "undo", "Previous settings back", RUN),
    Key(("Ctrl+Shift+Z",), "redo", "Undone settings back", RUN, also=("Ctrl+Y",)),
    Key(("F",), "fit", "Fit the grid into its place", VIEW, LETTERS),
    Key(("1",), "one_to_one", "The grid at its own size", VIEW, LETTERS | Holder.SLIDER),
    Key(("Ctrl+Up",), "cell_up", CELL, VIEW, repeats=True, shown="Ctrl+arrows"),
    Key(("Ctrl+Down",), "cell_down", CELL, VIEW, repeats=True),
    Key(("Ctrl+Left",), "cell_left", CELL, VIEW, repeats=True),
    Key(("Ctrl+Right",), "cell_right", CELL, VIEW, repeats=True),
    Key(("Esc",), "clear", "Clear cell cursor and notice", VIEW),
    Key(("Ctrl+B",), "controls", "Hide or show the left column", VIEW, NEVER),
    Key(("Ctrl+=",), "zoom_in", "Everything larger", VIEW, NEVER, repeats=True, also=("Ctrl++",)),
    Key(("Ctrl+-",), "zoom_out", "Everything smaller", VIEW, NEVER, repeats=True),
    Key(("Ctrl+0",), "zoom_reset", "Everything as large as usual", VIEW, NEVER),
    Key((), "lesson_on", "On with the lesson", LESSON, shown="Space  Right"),
    Key((), "lesson_back", "A step of the lesson back", LESSON, shown="Left"),
    Key(("2",), "answer_2", ANSWER, LESSON, LETTERS | Holder.SLIDER, shown="1 to 4"),
    Key(("3",), "answer_3", ANSWER, LESSON, LETTERS | Holder.SLIDER),
    Key(("4",), "answer_4", ANSWER, LESSON, LETTERS | Holder.SLIDER),
    Key(("R",), "lesson_restart", "The lesson from its start", LESSON, LETTERS),
    Key((), "lesson_leave", "Leave the lesson, keep its run", LESSON, shown="Esc"),
    Key(("Ctrl+O",), "open", "Open a run or a model", FILE, NEVER),
    Key(("Ctrl+Shift+O",), "open_folder", "Open a model's folder", FILE, NEVER),
    Key(("Ctrl+S",), "save_run", "Save the run on screen", FILE, NEVER),
    Key(("Ctrl+Shift+E",), "save_picture", "Save a view as PNG or SVG", FILE, NEVER),
    Key(("Ctrl+Alt+E",), "save_table", "Save the steps as CSV", FILE, NEVER),
    Key(("Ctrl+C",), "copy_picture", "Copy a picture of a view", FILE),
    Key(("Ctrl+1",), "playground", PARTS, APP, NEVER, shown="Ctrl+1 to 3"),
    Key(("Ctrl+2",), "lessons", PARTS, APP, NEVER),
    Key(("Ctrl+3",), "calculator", PARTS, APP, NEVER),
    Key(("?",), "keys", "All keys", APP, LETTERS),
    Key(("Ctrl+,",), "preferences", "Preferences", APP, NEVER),
    Key(("Ctrl+Q",), "quit", "Quit", APP, NEVER),
)
GROUPS = (RUN, VIEW, LESSON, FILE, APP)


class Keys(QObject):
    """The shortcuts of one window, each off while what has the keyboard needs the key itself."""

    def __init__(self, window: QWidget, actions: Mapping[str, Callable[[], object]]) -> None:
        super().__init__(window)
        self._shortcuts: list[tuple[Key, QShortcut]] = []
        for key in KEYS:
            for sequence in (*key.sequences, *key.also):
                shortcut = QShortcut(QKeySequence(sequence), window)
                shortcut.setAutoRepeat(key.repeats)
                shortcut.activated.connect(actions[key.action])
                self._shortcuts.append((key, shortcut))
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus_changed)
        self._on_focus_changed(None, QApplication.focusWidget())

    def is_on(self, action: str) -> bool:
        """Whether the keys of ``action`` work now."""
        return any(
            shortcut.isEnabled() for key, shortcut in self._shortcuts if key.action == action
        )

    @Slot(QWidget, QWidget)
    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        holder = holder_of(new)
        for key, shortcut in self._shortcuts:
            shortcut.setEnabled(not key.yields_to & holder)


def install_keys(window: QWidget, actions: Mapping[str, Callable[[], object]]) -> Keys:
    """Let the keys of KEYS do ``actions``, by name; raise KeyError where one is missing."""
    return Keys(window, actions)


def holder_of(widget: QWidget | None) -> Holder:
    """Return what kind of widget has the keyboard."""
    match widget:
        case QLineEdit() | QPlainTextEdit() | QTextEdit() | QAbstractSpinBox():
            return Holder.TEXT
        case QComboBox() | QAbstractItemView():
            return Holder.CHOICE
        case QAbstractSlider():
            return Holder.SLIDER
        case QAbstractButton():
            inside = isinstance(widget.parentWidget(), Segmented)
            return Holder.BUTTON | Holder.CHOICE if inside else Holder.BUTTON
        case _:
            return Holder.NOTHING


def key_text(sequence: str) -> str:
    """Return a key sequence as this system writes it."""
    return QKeySequence(sequence).toString(QKeySequence.SequenceFormat.NativeText)


def shortcut_of(action: str) -> str:
    """Return the first keys of ``action``, for a tooltip or a menu."""
    return next(key_text(key.sequences[0]) for key in KEYS if key.action == action)
