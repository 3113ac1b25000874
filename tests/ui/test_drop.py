import pytest
from dropped import mime_of
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent

from kvviz.sizing.errors import InputError
from kvviz.ui.drop import dropped_path, take_copy


@pytest.mark.parametrize("path", ["/a/run.safetensors", "/a/with blank & ünïcode %20.st", "/a/dir"])
def test_one_file_or_folder_is_taken(path):
    assert dropped_path(mime_of(QUrl.fromLocalFile(path))) == path


@pytest.mark.parametrize(
    ("mime", "said"),
    [
        (mime_of("file:///a", "file:///b"), "2 things"),
        (mime_of("https://example.org/model.safetensors"), "not on this machine"),
        (mime_of(text="The cat"), "Text was dropped"),
    ],
)
def test_anything_else_is_taken_for_a_hint(mime, said):
    with pytest.raises(InputError, match=said):
        dropped_path(mime)


def test_what_no_hint_helps_is_no_file():
    mime = QMimeData()
    mime.setData("application/x-other", b"data")
    with pytest.raises(InputError, match="not a file"):
        dropped_path(mime)


def test_files_that_have_not_arrived_are_no_text():
    mime = QMimeData()
    mime.setData("text/uri-list", b"")  # as where the program they came from has ended
    with pytest.raises(InputError, match="not arrived"):
        dropped_path(mime)


def test_a_file_given_to_be_moved_is_copied(qapp):
    actions, buttons = Qt.DropAction, Qt.MouseButton.LeftButton
    offered = actions.MoveAction | actions.CopyAction
    keys, mime = Qt.KeyboardModifier.NoModifier, mime_of("file:///a")  # the event does not keep it
    event = QDropEvent(QPointF(), offered, mime, buttons, keys)
    take_copy(event)
    assert event.isAccepted()
    assert event.dropAction() is actions.CopyAction
