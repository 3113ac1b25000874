import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from kvviz.session.settings import first_settings
from kvviz.trace.config import ModelSource, TokenizerKind
from kvviz.ui.preferences import PreferencesFile
from kvviz.ui.start import build_window, find_built_in

STORIES = Path(__file__).parent.parent / "data" / "stories260K"
RUN_MS = 60_000


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """A small trained model where the built-in one would be."""
    folder = Path(shutil.copytree(STORIES, tmp_path / "tiny-stories"))
    for module in ("folder", "load", "tokenizer"):
        monkeypatch.setattr(f"kvviz.engine.{module}.built_in_model", lambda: folder)
    return folder


def test_the_built_in_model_is_found_without_its_tokenizer(installed):
    (installed / "tokenizer.json").unlink()
    choice, problem = find_built_in()
    assert problem == ""
    assert (choice.spec.source, choice.spec.path) == (ModelSource.BUILT_IN, None)
    assert (choice.tokenizer, choice.tokenizer_path) == (TokenizerKind.FILE, None)
    assert choice.end_token_ids == (2,)


def test_where_it_is_not_installed_random_weights_run(installed):
    shutil.rmtree(installed)
    assert find_built_in() == (None, "")
    assert first_settings(None).model is None


def test_a_damaged_one_is_said(installed):
    (installed / "model.safetensors").write_bytes(b"x")
    choice, problem = find_built_in()
    assert choice is None
    assert problem.startswith("The built-in model cannot be used: ")


def test_a_window_opens_on_words_that_grow(qtbot, installed):
    preferences = PreferencesFile()
    preferences.values.pace = None
    window = build_window(QApplication.instance(), preferences)
    window.show()
    store = window.store
    try:
        assert store.controls.settings == first_settings(store.models.built_in)
        qtbot.waitUntil(lambda: store.shown is not None and not store.shown.live, timeout=RUN_MS)
        assert store.trace.config.model.source is ModelSource.BUILT_IN
        assert "".join(token.piece for token in store.trace.tokens[:8]) == "<s> The cat sat on the"
        assert store.heads.induction.shape == (5, 8)
    finally:
        window.close()
        window.deleteLater()
