import subprocess
import sys

import pytest
from PySide6.QtWidgets import QApplication

from kvviz.assets import built_in_model
from kvviz.engine.folder import open_built_in
from kvviz.session.built_in import BUILT_IN
from kvviz.session.settings import first_settings
from kvviz.trace.config import ModelSource
from kvviz.trace.head_kinds import HeadKind
from kvviz.ui.preferences import PreferencesFile
from kvviz.ui.start import build_window
from kvviz.ui.top_bar import CALCULATOR


@pytest.fixture
def unseen(qtbot):
    """A window not yet shown."""
    preferences = PreferencesFile()
    preferences.values.pace = None
    window = build_window(QApplication.instance(), preferences)
    yield window
    window.close()
    window.deleteLater()


@pytest.fixture
def window(unseen):
    unseen.show()
    return unseen


def test_the_built_in_model_is_what_its_folder_says():
    assert open_built_in().choice == BUILT_IN


def test_a_window_opens_on_words_that_grow(qtbot, window):
    store = window.store
    assert store.controls.settings == first_settings(BUILT_IN)
    assert store.controls.problem == ""
    qtbot.waitUntil(lambda: store.shown is not None and not store.shown.live)
    assert store.trace.config.model.source is ModelSource.BUILT_IN
    assert "".join(token.piece for token in store.trace.tokens[1:6]) == " The cat sat on the"
    assert store.heads.induction.shape == (6, 6)
    looked_at = (store.selection.layer, store.selection.head)
    assert looked_at == store.heads.strongest(HeadKind.INDUCTION)


def test_a_person_who_looked_first_is_left_where_they_are(qtbot, window):
    store = window.store
    qtbot.waitUntil(lambda: store.shown is not None)
    store.select(layer=0, head=1)
    qtbot.waitUntil(lambda: store.heads is not None)
    assert (store.selection.layer, store.selection.head) == (0, 1)


def test_where_the_model_is_not_installed_random_weights_run(qtbot, monkeypatch, tmp_path):
    monkeypatch.setattr("kvviz.ui.start.built_in_model", lambda: tmp_path)
    window = build_window(QApplication.instance(), PreferencesFile())
    assert window.store.controls.settings == first_settings(None)
    assert window.store.models.built_in is None
    window.close()
    window.deleteLater()


def test_nothing_is_imported_that_the_first_paint_can_do_without():
    code = (
        "import sys, kvviz.ui.start\n"
        "late = ('torch', 'tokenizers', 'pydantic', 'kvviz.engine.folder', 'kvviz.sizing.config')\n"
        "print([name for name in late if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def play_default(qtbot, window):
    window.show()
    store = window.store
    qtbot.waitUntil(lambda: store.shown is not None and not store.shown.live)
    assert store.trace.config.model.source is ModelSource.BUILT_IN


def test_a_file_that_cannot_be_opened_leaves_no_empty_screen(qtbot, unseen, tmp_path):
    (tmp_path / "run.safetensors").write_bytes(b"no trace")
    unseen.begin_with(str(tmp_path / "run.safetensors"))
    play_default(qtbot, unseen)
    assert "is not a safetensors file" in unseen.store.notice.text
    assert unseen.store.notice.is_error


def test_a_config_opens_on_the_calculator_with_a_run_behind_it(qtbot, unseen):
    unseen.begin_with(str(built_in_model() / "config.json"))
    play_default(qtbot, unseen)
    assert unseen.top_bar.tabs.current == CALCULATOR
    sized = unseen.calculator.desk.sheet.model
    assert sized.config.num_layers == unseen.store.trace.config.model.shape.num_layers
    assert unseen.store.notice is None


def test_what_is_wrong_with_the_preferences_outlives_the_first_run(qtbot, unseen):
    unseen.preferences.notice = "Preferences will not be kept."
    play_default(qtbot, unseen)
    assert unseen.store.notice.text == "Preferences will not be kept."
