import pytest
from PySide6.QtCore import QMimeData, QUrl

from kvviz.sizing.errors import InputError
from kvviz.ui.drop import can_drop, dropped_path


def mime_of(*urls, text=None):
    mime = QMimeData()
    if urls:
        mime.setUrls([QUrl(url) for url in urls])
    if text is not None:
        mime.setText(text)
    return mime


@pytest.mark.parametrize("path", ["/a/run.safetensors", "/a/with blank & ünïcode %20.st", "/a/dir"])
def test_one_file_or_folder_is_taken(path):
    mime = mime_of(QUrl.fromLocalFile(path).toString())
    assert can_drop(mime)
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
    assert can_drop(mime)
    with pytest.raises(InputError, match=said):
        dropped_path(mime)


def test_what_no_hint_helps_is_not_taken():
    mime = QMimeData()
    mime.setData("application/x-other", b"data")
    assert not can_drop(mime)
    with pytest.raises(InputError, match="not a file"):
        dropped_path(mime)
