"""What keys, menu and buttons of the window do, each by its name."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QCursor, QKeySequence
from PySide6.QtWidgets import QApplication, QWidget

from kvviz.ui.keys import KEYS
from kvviz.ui.top_bar import CALCULATOR, LESSONS, PLAYGROUND

if TYPE_CHECKING:
    from kvviz.ui.window import MainWindow

MENU = (
    "compare",
    "",
    "open",
    "open_folder",
    "save_run",
    "",
    "save_picture",
    "copy_picture",
    "save_table",
    "",
    "undo",
    "redo",
    "",
    "zoom_in",
    "zoom_out",
    "zoom_reset",
    "controls",
    "",
    "preferences",
    "keys",
    "quit",
)


def window_actions(window: "MainWindow") -> dict[str, Callable[[], object]]:
    """Return every action of KEYS for ``window``."""
    store, look, files = window.store, window.look, window.files
    return {
        "play": _leading(window, "go_on", store.toggle_play),
        "step_forward": _leading(window, "go_on", lambda: store.step_by(1)),
        "step_back": _leading(window, "go_back", lambda: store.step_by(-1)),
        "lesson_restart": _leading(window, "restart", lambda: None),
        "to_start": lambda: store.seek(-1),
        "to_end": lambda: store.seek(len(store.trace) - 1 if store.trace else -1),
        "run": store.run,
        "stop": store.stop,
        "compare": _comparing(window),
        "undo": store.undo,
        "redo": store.redo,
        "fit": window.playground.centre.grid.fit,
        "one_to_one": _answering(window, 1, window.playground.centre.grid.one_to_one),
        **{f"answer_{place}": _answering(window, place, lambda: None) for place in (2, 3, 4)},
        "cell_up": lambda: store.move_cell(-1, 0),
        "cell_down": lambda: store.move_cell(1, 0),
        "cell_left": lambda: store.move_cell(0, -1),
        "cell_right": lambda: store.move_cell(0, 1),
        "clear": _leading(window, "leave", window.clear),
        "controls": window.playground.toggle_controls,
        "zoom_in": look.zoom_in,
        "zoom_out": look.zoom_out,
        "zoom_reset": lambda: look.set_zoom(1.0),
        "open": files.ask_open,
        "open_folder": files.ask_open_folder,
        "save_run": files.ask_save_trace,
        "save_picture": lambda: files.ask_export_picture(view_in_question(window)),
        "save_table": files.ask_export_csv,
        "copy_picture": lambda: files.copy_picture(view_in_question(window)),
        "playground": lambda: window.show_part(PLAYGROUND),
        "lessons": lambda: window.show_part(LESSONS),
        "calculator": lambda: window.show_part(CALCULATOR),
        "keys": window.show_help,
        "preferences": window.show_preferences,
        "quit": window.close,
    }


def _leading(window: "MainWindow", way: str, otherwise: Callable[[], None]) -> Callable[[], None]:
    """Return what goes a way in the lesson, and does something else where there is none."""

    def act() -> None:
        if window.in_lesson:
            getattr(window.lessons, way)()
        elif window.playground.isVisible():  # what is not on screen is not played either
            otherwise()

    return act


def _comparing(window: "MainWindow") -> Callable[[], None]:
    """Return what asks for layouts; a lesson ends, its run is what they are compared on."""

    def act() -> None:
        if window.in_lesson:
            window.lessons.leave()
        if window.playground.isVisible():
            window.playground.comparison.ask()

    return act


def _answering(
    window: "MainWindow", place: int, otherwise: Callable[[], None]
) -> Callable[[], None]:
    """Return what gives the lesson's question its ``place``-th answer, or does something else."""

    def act() -> None:
        if not (window.in_lesson and window.lessons.answer(place)):
            otherwise()

    return act


def menu_actions(
    window: "MainWindow", actions: dict[str, Callable[[], object]]
) -> list[QAction | None]:
    """Return the menu's entries, None for a line between groups."""
    keys = {key.action: key for key in KEYS}
    entries: list[QAction | None] = []
    for name in MENU:
        if not name:
            entries.append(None)
            continue
        action = QAction(keys[name].sentence, window)
        # Shown beside the word only: the key itself is the Keys object's.
        sequence = QKeySequence(keys[name].sequences[0])
        action.setText(
            f"{action.text()}\t{sequence.toString(QKeySequence.SequenceFormat.NativeText)}"
        )
        action.triggered.connect(actions[name])
        entries.append(action)
    return entries


def view_in_question(window: "MainWindow") -> QWidget:
    """Return the view under the mouse or with the keyboard, else the whole window."""
    under = QApplication.widgetAt(QCursor.pos())
    for widget in (under, QApplication.focusWidget()):
        for view in window.playground.views:
            if widget is not None and (widget is view or view.isAncestorOf(widget)):
                return view
    return window.playground.columns
