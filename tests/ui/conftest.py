import pytest
from file_answers import Answers, Memory
from hand_made import hand_made_trace
from PySide6.QtWidgets import QApplication
from still_worker import StillWorker

from kvviz.session.settings import Settings
from kvviz.ui.files import FileDesk
from kvviz.ui.preferences import PreferencesFile
from kvviz.ui.start import build_window
from kvviz.ui.store import Store
from kvviz.ui.stylesheet import Wardrobe
from kvviz.ui.theme import ThemeChoice, ThemeManager

FREE_BYTES = 8 * 2**30


@pytest.fixture
def look(qapp):
    return ThemeManager(ThemeChoice.DARK)


@pytest.fixture
def dressed(qapp, look):
    """The application in the theme's style sheet, as in the real window."""
    qapp.setStyle("Fusion")
    Wardrobe(qapp, look).dress()
    yield look
    qapp.setStyleSheet("")


@pytest.fixture
def worker(qapp):
    return StillWorker()


@pytest.fixture
def store(worker, monkeypatch):
    """The real store over a worker that runs nothing, on a machine with 8 GiB free."""
    monkeypatch.setattr("kvviz.ui.controlled_scene.free_bytes", lambda: FREE_BYTES)
    store = Store(worker, Settings())
    yield store
    store.shut_down()


@pytest.fixture
def answers():
    return Answers()


@pytest.fixture
def memory():
    return Memory()


@pytest.fixture
def files(store, answers, memory):
    files = FileDesk(store, answers, memory)
    yield files
    files.shut_down()


@pytest.fixture
def finish(qtbot, files):
    """Wait until what is read or written is done, and return the sentence that follows."""

    def wait():
        qtbot.waitUntil(lambda: not files.busy)
        notice = files._store.notice
        return notice and notice.text

    return wait


@pytest.fixture
def trace(store):
    """A run on screen."""
    trace = hand_made_trace()
    store.adopt(trace)
    return trace


@pytest.fixture
def preferences():
    """What the real window opens with: dark, and as fast as the machine is."""
    preferences = PreferencesFile()
    preferences.values.theme = ThemeChoice.DARK
    preferences.values.pace = None
    return preferences


@pytest.fixture
def window(qtbot, preferences, monkeypatch, tmp_path):
    """The real window on screen; its model is one of random weights."""
    monkeypatch.setattr("kvviz.ui.start.built_in_model", lambda: tmp_path)  # random weights
    window = build_window(QApplication.instance(), preferences)
    window.resize(1440, 900)
    window.show()
    yield window
    window.close()
    window.deleteLater()
