"""The window and everything it stands on, put together."""

from dataclasses import replace

from PySide6.QtWidgets import QApplication

from kvviz.engine.folder import has_built_in, open_built_in
from kvviz.session.selection import ColorMap
from kvviz.session.settings import first_settings
from kvviz.sizing.errors import InputError
from kvviz.trace.config import ModelChoice, TokenizerKind
from kvviz.ui.preferences import PreferencesFile
from kvviz.ui.store import Store
from kvviz.ui.stylesheet import Wardrobe
from kvviz.ui.theme import ThemeManager
from kvviz.ui.window import MainWindow
from kvviz.ui.worker import Worker


def build_window(application: QApplication, preferences: PreferencesFile) -> MainWindow:
    """Return the window as it was left, not yet shown."""
    values = preferences.values
    look = ThemeManager(values.theme, values.zoom)
    wardrobe = Wardrobe(application, look)
    worker = Worker()
    built_in, problem = find_built_in()
    store = Store(worker, first_settings(built_in), built_in)
    store.set_pace(values.pace)
    store.select(color_map=ColorMap(values.colour_map))
    window = MainWindow(worker, store, look, preferences)
    # Last: every widget put into another under a style sheet is polished again, all of it.
    wardrobe.dress()
    if problem:
        store.tell(problem)
    return window


def find_built_in() -> tuple[ModelChoice | None, str]:
    """Return the built-in model, read only as far as its shape; else None, and what is wrong.

    Its tokenizer is read after the first paint.
    """
    if not has_built_in():
        return None, ""
    try:
        choice = open_built_in(with_tokenizer=False).choice
    except InputError as error:
        return None, f"The built-in model cannot be used: {error}"
    return replace(choice, tokenizer=TokenizerKind.FILE), ""
