import json
import shutil
from pathlib import Path

import pytest
from dropped import mime_of
from PySide6.QtCore import QUrl

from kvviz.session.settings import Settings
from kvviz.trace.config import ModelSource, TokenizerKind
from kvviz.trace.messages import ModelLoaded, ModelLoading
from kvviz.ui.found import Config, Weights, read_path

STORIES = Path(__file__).parent.parent / "data" / "stories260K"


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(STORIES, tmp_path / "a model"))


@pytest.fixture
def started(store):
    """The store as it is once the window is there: tokenizers are read."""
    store.start()
    return store


@pytest.mark.parametrize("part", ["", "model.safetensors", "tokenizer.json"])
def test_a_folder_or_one_of_its_files_is_the_model(
    qtbot, started, worker, files, finish, memory, folder, part
):
    files.open_path(str(folder / part))
    assert finish() is None
    settings = started.controls.settings
    spec = settings.model.spec
    assert (spec.source, spec.path, spec.name) == (ModelSource.FOLDER, str(folder), "a model")
    assert (settings.num_layers, settings.num_heads, settings.num_kv_heads) == (5, 8, 4)
    assert (settings.tokenizer, settings.tokenizer_path) == (TokenizerKind.FILE, str(folder))
    assert [choice.spec.path for choice in started.models.opened] == [str(folder)]
    qtbot.waitUntil(lambda: len(worker.started) == 1)
    assert started.prompt_pieces[0] == "<s>"
    assert "".join(started.prompt_pieces[1:]) == " The cat sat on the"


def test_a_dropped_folder_is_opened(started, files, finish, folder):
    mime = mime_of(QUrl.fromLocalFile(str(folder)))
    files.open_dropped(mime)
    assert finish() is None
    assert started.controls.settings.model.spec.path == str(folder)


def test_a_folder_is_asked_for_where_the_last_one_was(store, files, finish, answers, folder):
    answers.path = str(folder)
    files.ask_open_folder()
    assert finish() is None
    assert len(answers.asked) == 1
    assert store.controls.settings.model is not None


@pytest.mark.parametrize(("as_bytes", "kind"), [(True, TokenizerKind.BYTES), (False, "ids")])
def test_without_a_tokenizer_it_is_asked_how_to_feed_it(
    store, files, finish, answers, folder, as_bytes, kind
):
    (folder / "tokenizer.json").unlink()
    answers.as_bytes = as_bytes
    files.open_path(str(folder))
    finish()
    assert answers.asked == [("a model", True)]
    assert store.controls.settings.tokenizer == kind


def test_without_an_answer_nothing_changes(store, files, finish, answers, folder):
    (folder / "tokenizer.json").unlink()
    files.open_path(str(folder))
    finish()
    assert len(answers.asked) == 1
    assert store.controls.settings == Settings()


def test_ids_run_where_a_prompt_is_ids(store, worker, files, finish, answers, folder):
    (folder / "tokenizer.json").unlink()
    answers.as_bytes = False
    files.open_path(str(folder))
    finish()
    assert "not a token id" in store.controls.problem
    store.change("prompt", "1, 403, 407")
    store.run()
    assert worker.started[-1].config.prompt_ids == (1, 403, 407)
    assert worker.started[-1].config.prompt_text is None


def damaged(folder, name, content):
    (folder / name).write_bytes(content)


BROKEN = {
    "family": lambda f: damaged(f, "config.json", json.dumps({"model_type": "mamba"}).encode()),
    "no config": lambda f: (f / "config.json").unlink(),
    "pointer": lambda f: damaged(f, "model.safetensors", b"version https://git-lfs.github.com/"),
    "tokenizer": lambda f: damaged(f, "tokenizer.json", b"{"),
    "no weights": lambda f: (f / "model.safetensors").unlink(),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_cannot_run_is_one_sentence_and_changes_nothing(store, files, finish, folder, kind):
    BROKEN[kind](folder)
    files.open_path(str(folder))
    sentence = finish()
    assert sentence
    assert "\n" not in sentence
    assert store.notice.is_error
    assert store.controls.settings == Settings()


def test_its_config_alone_is_for_the_calculator(started, files, finish, folder):
    taken = []
    files.sized.connect(taken.append)
    files.open_path(str(folder / "config.json"))
    assert finish() is None
    [model] = taken
    assert (model.config.num_layers, model.config.num_kv_heads) == (5, 4)
    assert started.controls.settings == Settings()


@pytest.mark.parametrize("name", ["other.json", "CONFIG.JSON", "no ending"])
def test_json_of_any_name_is_a_config(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"\xef\xbb\xbf\n" + (STORIES / "config.json").read_bytes())
    found = read_path(str(path))
    assert isinstance(found, Config)
    assert found.model.config.num_layers == 5


def test_a_tutorials_file_beside_no_config_stays_one(tmp_path):
    from tutorial_file import write_tutorial

    assert isinstance(read_path(write_tutorial(tmp_path / "model.safetensors")), Weights)


def test_a_load_is_followed_in_bytes(store, worker):
    from still_worker import deliver

    store.run()
    run = store.shown
    deliver(store, worker, ModelLoading(run.run_id, 34 * 2**20, 270 * 2**20))
    assert run.loading == (34 * 2**20, 270 * 2**20)
    deliver(store, worker, ModelLoaded(run.run_id, 270 * 2**20, 1))
    assert run.loading is None


def test_what_is_odd_about_the_weights_is_told(store, worker):
    from still_worker import deliver

    store.run()
    warning = "a.safetensors: 3 weights are not finite (NaN or infinity)."
    deliver(store, worker, ModelLoaded(store.shown.run_id, 10, 1, (warning,)))
    assert store.notice.text == warning
