import os

import pytest
from dropped import mime_of
from PySide6.QtCore import QUrl
from tutorial_file import write_tutorial

from kvviz.session.settings import Settings
from kvviz.sizing.shape import ModelShape, Positions
from kvviz.trace.config import ModelSource, ModelSpec
from kvviz.trace.file import save_trace


def test_a_tutorials_weights_need_their_heads(store, worker, files, finish, answers, tmp_path):
    path = write_tutorial(tmp_path / "tiny.safetensors")
    answers.heads = 8
    files.open_path(path)
    assert finish() is None
    assert answers.asked == [("tiny.safetensors", [1, 2, 4, 8, 16, 32, 64], 4)]
    settings = store.controls.settings
    assert settings.model.spec == ModelSpec(settings.shape, ModelSource.TUTORIAL, path=path)
    assert settings.shape == ModelShape(2, 8, 8, 8, 128, Positions.NONE)
    store.run()
    assert worker.started[-1].config.model.path == path
    store.undo()
    assert store.controls.settings == Settings()
    assert not store.controls.can_undo


def test_a_run_follows_the_weights(qtbot, store, worker, files, finish, answers, tmp_path):
    answers.heads = 4
    files.open_path(write_tutorial(tmp_path / "tiny.safetensors"))
    finish()
    qtbot.waitUntil(lambda: len(worker.started) == 1)
    assert store.shown.config.model.shape.hidden_size == 64


def test_no_answer_changes_nothing(store, files, finish, answers, tmp_path):
    files.open_path(write_tutorial(tmp_path / "tiny.safetensors"))
    finish()
    assert len(answers.asked) == 1
    assert store.controls.settings == Settings()


def test_one_possible_answer_is_not_asked_for(store, files, finish, answers, tmp_path):
    shape = ModelShape(1, 1, 1, 1, 200)
    files.open_path(write_tutorial(tmp_path / "one.safetensors", shape))
    finish()
    assert answers.asked == []
    assert store.controls.settings.shape == shape


def test_a_relative_path_is_kept_whole(store, files, finish, answers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_tutorial("tiny.safetensors")
    answers.heads = 4
    files.open_path("tiny.safetensors")
    finish()
    assert store.controls.settings.model.spec.path == str(tmp_path / "tiny.safetensors")


FOREIGN = {
    "empty": (b"", "is empty"),
    "seven": (b"1234567", "is not a safetensors file"),
    "pickle": (b"\x80\x04\x95" + bytes(40), "pickle"),
    "zip": (b"PK\x03\x04" + bytes(40), "pickle can run code"),
    "gguf": (b"GGUF" + bytes(40), "GGUF"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\noid", "Git LFS pointer"),
    "html": (b"<!DOCTYPE html><html></html>", "web page"),
    "json": (b'{"model_type": "llama"}', "missing head_dim"),
    "half json": (b'{"model_type": ', "is not valid JSON"),
    "short": ((400).to_bytes(8, "little") + b"{" + bytes(20), "cut short"),
    "damaged": ((9).to_bytes(8, "little") + b"{damaged}" + bytes(8), "damaged"),
    "nothing": ((2).to_bytes(8, "little") + b"{}", "not the tutorial's model"),
}


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("suffix", [".safetensors", ".pt"])
def test_anything_else_is_one_sentence(
    store, files, finish, answers, trace, tmp_path, kind, suffix
):
    data, said = FOREIGN[kind]
    path = tmp_path / f"file{suffix}"
    path.write_bytes(data)
    run, settings = store.shown, store.controls.settings
    files.open_path(str(path))
    sentence = finish()
    assert said in sentence
    assert str(path) in sentence
    assert "\n" not in sentence
    assert sentence.count("Error") == 0
    assert store.notice.is_error
    assert (store.shown, store.controls.settings, answers.asked) == (run, settings, [])
    save_trace(trace, tmp_path / "good")
    files.open_path(str(tmp_path / "good"))
    assert finish() is None
    assert store.trace.generated_ids == trace.generated_ids


def test_what_is_no_file(files, finish, tmp_path):
    files.open_path(str(tmp_path))
    assert "config.json" in finish()
    files.open_path(str(tmp_path / "missing"))
    assert "does not exist" in finish()
    os.mkfifo(tmp_path / "pipe")
    files.open_path(str(tmp_path / "pipe"))
    assert "not a plain file" in finish()


def test_a_damaged_run(files, finish, trace, tmp_path):
    path = tmp_path / "run.safetensors"
    save_trace(trace, path)
    data = bytearray(path.read_bytes())
    data[-5] ^= 255
    path.write_bytes(data)
    files.open_path(str(path))
    assert "damaged trace" in finish()


def test_a_dropped_file_is_opened(store, files, finish, trace, tmp_path):
    path = tmp_path / "a b.safetensors"
    save_trace(trace, path)
    first = store.shown
    files.open_dropped(mime_of(QUrl.fromLocalFile(str(path))))
    assert finish() is None
    assert store.shown is not first


def test_a_drop_that_cannot_be_opened(files, finish):
    files.open_dropped(mime_of("file:///a", "file:///b"))
    assert finish().startswith("2 things were dropped")
