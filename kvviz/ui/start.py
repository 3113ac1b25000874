"""The window and everything it stands on, put together."""

from PySide6.QtWidgets import QApplication

from kvviz.assets import built_in_model
from kvviz.session.built_in import BUILT_IN
from kvviz.session.selection import ColorMap
from kvviz.session.settings import first_settings
from kvviz.ui.preferences import PreferencesFile
from kvviz.ui.store import Store
from kvviz.ui.stylesheet import Wardrobe
from kvviz.ui.theme import ThemeManager
from kvviz.ui.window import MainWindow
from kvviz.ui.worker import Worker
from kvviz.ui.zoom_limit import ZoomLimit


def build_window(application: QApplication, preferences: PreferencesFile) -> MainWindow:
    """Return the window as it was left, not yet shown."""
    values = preferences.values
    look = ThemeManager(values.theme, values.zoom)
    wardrobe = Wardrobe(application, look)
    worker = Worker()
    built_in = BUILT_IN if (built_in_model() / "config.json").is_file() else None
    store = Store(worker, first_settings(built_in), built_in)
    store.set_pace(values.pace)
    store.select(color_map=ColorMap(values.colour_map))
    window = MainWindow(worker, store, look, preferences)
    # Last: every widget put into another under a style sheet is polished again, all of it.
    wardrobe.dress_window(window)
    ZoomLimit(window, look, store).hold()  # the zoom may be that of a larger screen
    return window
