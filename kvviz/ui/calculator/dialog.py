"""The question which config.json to open, in a dialog that does not hold the event loop."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

FILTERS = ("Model configurations (*.json)", "All files (*)")


def ask_config(parent: QWidget, folder: str, then: Callable[[str], None]) -> None:
    """Ask for a file, beginning in ``folder``; without an answer ``then`` is never called."""
    dialog = QFileDialog(parent, "Open a config.json")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setNameFilters(FILTERS)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setDirectory(folder)
    dialog.fileSelected.connect(then)
    dialog.open()
