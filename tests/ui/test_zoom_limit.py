import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QWidget

from kvviz.ui.preferences import PreferencesFile
from kvviz.ui.start import build_window
from kvviz.ui.zoom_limit import ZoomLimit


class Window(QWidget):
    """Needs 1000 x 600 at zoom 1."""

    def __init__(self, look):
        super().__init__()
        self._look = look

    def minimumSizeHint(self):
        return QSize(self._look.px(1000), self._look.px(600))


@pytest.fixture
def limit(qtbot, look, store, monkeypatch):
    window = Window(look)
    qtbot.addWidget(window)
    limit = ZoomLimit(window, look, store)
    limit.set_room = lambda *room: monkeypatch.setattr(limit, "room", lambda: QSize(*room))
    return limit


@pytest.mark.parametrize(
    ("room", "most"), [((1920, 1050), 1.75), ((1440, 870), 1.25), ((1200, 2000), 1.125)]
)
def test_it_ends_where_the_screen_does_and_says_so(limit, look, store, room, most):
    limit.set_room(*room)
    look.set_zoom(2.0)
    assert look.zoom == most
    said = f"At 200 % the window would be larger than this screen: {100 * most:.0f} %"
    assert store.notice.text.startswith(said)
    assert not store.notice.is_error
    look.zoom_in()
    assert look.zoom == most


def test_what_fits_is_left_alone(limit, look, store):
    limit.set_room(2000, 1200)
    look.set_zoom(2.0)
    assert (look.zoom, store.notice) == (2.0, None)


def test_a_screen_too_small_for_any_zoom_does_not_forbid_one(limit, look):
    limit.set_room(800, 800)
    look.set_zoom(1.5)
    assert look.zoom == 1.5


def test_a_window_of_a_larger_screen_opens_within_this_one(qtbot, monkeypatch):
    monkeypatch.setattr(ZoomLimit, "room", lambda limit: QSize(1440, 870))
    preferences = PreferencesFile()
    preferences.values.zoom = 2.0
    window = build_window(QApplication.instance(), preferences)
    qtbot.addWidget(window)
    assert 1 <= window.look.zoom < 2
    assert window.minimumSizeHint().width() <= 1440
    window.close()
