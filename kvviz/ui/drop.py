"""What was dropped onto the window: one file of this machine, or the sentence why not."""

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDropEvent

from kvviz.sizing.errors import InputError

ONE_AT_A_TIME = "drop one run, or one model, at a time."


def take_copy(event: QDropEvent) -> None:
    """Accept a drag or a drop as a copy: whoever gives a file to be moved would delete it."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def dropped_path(mime: QMimeData) -> str:
    """Return the one file or folder that was dropped; raise InputError for anything else."""
    urls = mime.urls()
    if len(urls) > 1:
        raise InputError(f"{len(urls)} things were dropped: {ONE_AT_A_TIME}")
    if urls and urls[0].isLocalFile():
        return urls[0].toLocalFile()
    if urls:
        raise InputError(
            f"{urls[0].toDisplayString()} is not on this machine: download it, then drop the file."
        )
    if mime.hasUrls():
        raise InputError("What was dropped has not arrived: drop it again.")
    if mime.hasText():
        raise InputError("Text was dropped on the window: drop it on the prompt, or drop a file.")
    raise InputError(f"That is not a file: {ONE_AT_A_TIME}")
