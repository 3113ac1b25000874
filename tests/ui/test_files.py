import csv
import os
import threading

import pytest
from hand_made import extend, hand_made_trace
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget

from kvviz.trace.file import load_trace, save_trace
from kvviz.trace.step import Phase
from kvviz.ui.changes import Change
from kvviz.ui.files import NOTHING_YET


def contents(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_run_is_saved_and_opened_again(store, files, finish, trace, memory, tmp_path):
    path = str(tmp_path / "run with ünïcode.safetensors")
    files.save_trace(path)
    assert finish() == f"Saved {path}."
    assert not store.notice.is_error
    assert memory.last_folder == str(tmp_path)
    assert contents(tmp_path) == ["run with ünïcode.safetensors"]
    first = store.shown
    files.open_path(path)
    assert finish() is None
    assert store.shown is not first
    assert store.trace.generated_ids == trace.generated_ids
    assert store.prompt_pieces == tuple(token.piece for token in trace.tokens[:6])
    assert store.playback.playing  # from its beginning
    assert not store.shown.live


def test_a_run_is_saved_while_it_grows(store, files, finish, tmp_path, monkeypatch):
    trace = hand_made_trace(steps=4)
    store.adopt(trace)
    at_work, may_go_on = threading.Event(), threading.Event()

    def slow(recorded, path):
        at_work.set()
        assert may_go_on.wait(10)
        save_trace(recorded, path)

    monkeypatch.setattr("kvviz.ui.files.save_trace", slow)
    files.save_trace(str(tmp_path / "a.safetensors"))
    assert at_work.wait(10)
    extend(trace, [(Phase.DECODE, 1, True)] * 3, seed=1)
    may_go_on.set()
    finish()
    assert len(load_trace(tmp_path / "a.safetensors")) == 4
    assert len(store.trace) == 7


def test_the_steps_are_saved_as_a_table(files, finish, trace, tmp_path):
    path = tmp_path / "steps.csv"
    files.export_csv(str(path))
    assert finish() == f"Saved {path}."
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["token_id"]) for row in rows] == trace.generated_ids


def test_nothing_to_save_yet(files, finish, answers, tmp_path):
    for save in (files.save_trace, files.export_csv):
        save(str(tmp_path / "x"))
        assert finish() == NOTHING_YET
    files.ask_save_trace()
    files.ask_export_csv()
    assert answers.asked == []
    assert contents(tmp_path) == []


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_picture_is_saved_by_its_ending(qtbot, files, finish, tmp_path, suffix):
    view = a_view(qtbot)
    path = tmp_path / f"view.{suffix}"
    files.export_picture(view, str(path))
    assert finish() == f"Saved {path}."
    image = QImage(str(path))
    assert not image.isNull()
    assert image.width() / image.height() == pytest.approx(1.5, rel=0.01)


def test_a_picture_of_no_kind(qtbot, files, finish, tmp_path):
    files.export_picture(a_view(qtbot), str(tmp_path / "view.bmp"))
    assert "does not end in .png or .svg" in finish()
    assert contents(tmp_path) == []


def test_a_picture_is_copied(qtbot, store, files):
    QGuiApplication.clipboard().clear()
    files.copy_picture(a_view(qtbot))
    assert QGuiApplication.clipboard().image().width() == 240
    assert store.notice.text == "Attention grid: its picture is on the clipboard."
    hidden = a_view(qtbot)
    hidden.resize(0, 0)
    files.copy_picture(hidden)
    assert "folded away" in store.notice.text


def a_view(qtbot):
    view = QWidget()
    view.setAccessibleName("Attention grid")
    view.resize(120, 80)
    qtbot.addWidget(view)
    return view


def refuse(monkeypatch, error):
    def replace(*_):
        raise error

    monkeypatch.setattr("kvviz.trace.atomic.os.replace", replace)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device"), "the disk is full"),
        (OSError(30, "Read-only file system"), "read-only"),
        (PermissionError(13, "Permission denied"), "permission"),
    ],
)
def test_what_cannot_be_written_leaves_the_old_file(
    qtbot, store, files, finish, trace, tmp_path, monkeypatch, error, said
):
    paths = [tmp_path / name for name in ("a.safetensors", "b.csv", "c.png", "d.svg")]
    for path in paths:
        path.write_bytes(b"old")
    refuse(monkeypatch, error)
    view = a_view(qtbot)
    saves = (files.save_trace, files.export_csv, *[lambda p: files.export_picture(view, p)] * 2)
    for save, path in zip(saves, paths, strict=True):
        save(str(path))
        sentence = finish()
        assert sentence.startswith(str(path))
        assert said in sentence
        assert store.notice.is_error
        assert path.read_bytes() == b"old"
    assert contents(tmp_path) == ["a.safetensors", "b.csv", "c.png", "d.svg"]


def test_the_folder_is_gone(files, finish, trace, memory, tmp_path):
    memory.last_folder = "before"
    files.save_trace(str(tmp_path / "gone" / "a.safetensors"))
    assert "its folder does not exist" in finish()
    assert memory.last_folder == "before"


def test_asks_for_what_to_open_in_the_folder_last_used(
    store, files, finish, answers, memory, trace, tmp_path
):
    save_trace(trace, tmp_path / "run")
    memory.last_folder = str(tmp_path)
    answers.path = str(tmp_path / "run")
    files.ask_open()
    assert answers.asked == [str(tmp_path)]
    finish()
    assert len(store.runs.runs) == 2


@pytest.mark.parametrize("last", ["", "/no/such/folder"])
def test_begins_at_home_where_no_folder_is_known(files, answers, memory, last):
    memory.last_folder = last
    files.ask_open()
    assert answers.asked == [os.path.expanduser("~")]


def test_asks_where_to_save_with_a_name_suggested(
    qtbot, files, finish, answers, memory, trace, tmp_path
):
    memory.last_folder = str(tmp_path)
    for ask, start, ending in (
        (files.ask_save_trace, "kvviz-run-", ".safetensors"),
        (files.ask_export_csv, "kvviz-steps-", ".csv"),
        (lambda: files.ask_export_picture(a_view(qtbot)), "kvviz-attention-grid-", ".png"),
    ):
        answers.path = str(tmp_path / f"mine{ending}")
        ask()
        assert finish() == f"Saved {answers.path}."
        wish = answers.asked[-1]
        assert os.path.dirname(wish.path) == str(tmp_path)
        assert os.path.basename(wish.path).startswith(start)
        assert wish.path.endswith(ending)
        assert f"*{ending}" in wish.filters[0]
    assert contents(tmp_path) == ["mine.csv", "mine.png", "mine.safetensors"]


def test_one_thing_at_a_time(qtbot, store, files, finish, trace, tmp_path, monkeypatch):
    at_work, may_go_on = threading.Event(), threading.Event()

    def slow(path):
        at_work.set()
        assert may_go_on.wait(10)
        raise MemoryError

    monkeypatch.setattr("kvviz.ui.files.read_path", slow)
    said = []
    store.changed.connect(lambda changes: said.append(changes) if changes & Change.FILES else None)
    files.open_path("/a/large.safetensors")
    assert at_work.wait(10)
    assert files.busy
    qtbot.waitUntil(lambda: store.notice is not None)
    assert store.notice.text == "Reading /a/large.safetensors …"
    assert not store.notice.is_error
    files.save_trace(str(tmp_path / "a"))
    assert store.notice.text.startswith("Reading /a/large.safetensors … Wait until")
    may_go_on.set()
    assert "MemoryError" in finish()
    assert len(said) == 2
    assert contents(tmp_path) == []


def test_closing_waits_for_a_write_and_says_nothing_more(qapp, store, files, trace, tmp_path):
    heard = []
    ours = Change.FILES | Change.NOTICE
    store.changed.connect(lambda changes: heard.append(changes) if changes & ours else None)
    files.save_trace(str(tmp_path / "a"))
    files.shut_down()
    assert len(load_trace(tmp_path / "a")) == len(trace)
    heard.clear()
    qapp.processEvents()
    assert heard == []
    assert store.notice is None
    files.open_path(str(tmp_path / "a"))
    assert not files.busy


def test_closing_while_reading_adopts_nothing(qapp, store, files, trace, tmp_path):
    save_trace(trace, tmp_path / "a")
    run = store.shown
    files.open_path(str(tmp_path / "a"))
    files.shut_down()
    qapp.processEvents()
    assert store.shown is run
    assert store.notice is None


def test_closing_does_not_wait_for_a_read_that_hangs(qapp, store, files, monkeypatch):
    may_go_on = threading.Event()
    monkeypatch.setattr("kvviz.ui.files.read_path", lambda path: may_go_on.wait(60))
    files.open_path("/a/gone.safetensors")
    reading = next(t for t in threading.enumerate() if t.name == "background")
    files.shut_down()
    assert reading.is_alive()
    may_go_on.set()
    reading.join()
    qapp.processEvents()
    assert store.notice is None
    assert store.shown is None
