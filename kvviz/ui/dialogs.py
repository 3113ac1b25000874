"""The questions about files, behind one door so that tests answer them without a dialog."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from kvviz.sizing.shape import ModelShape
from kvviz.ui.heads_dialog import HeadsDialog
from kvviz.ui.text_dialog import TextDialog
from kvviz.ui.theme import ThemeManager

OPEN_FILTERS = ("Runs and models (*.safetensors *.json)", "All files (*)")


@dataclass(frozen=True, slots=True)
class SaveWish:
    """What is to be saved: a title, the name suggested, and the endings there are."""

    title: str
    path: str
    filters: tuple[str, ...]


class Dialogs(Protocol):
    """Asks, and calls ``then`` with the answer; without one it never calls."""

    def ask_open(self, folder: str, then: Callable[[str], None]) -> None:
        """Ask for a file to open, beginning in ``folder``."""

    def ask_open_folder(self, folder: str, then: Callable[[str], None]) -> None:
        """Ask for a model's folder to open, beginning in ``folder``."""

    def ask_save(self, wish: SaveWish, then: Callable[[str], None]) -> None:
        """Ask where to save; a file there is overwritten only if the person says so."""

    def ask_text(self, name: str, can_take_bytes: bool, then: Callable[[bool], None]) -> None:
        """Ask how to feed the model ``name``, which has no tokenizer: True bytes, False ids."""

    def ask_heads(
        self, name: str, shapes: dict[int, ModelShape], likely: int, then: Callable[[int], None]
    ) -> None:
        """Ask which of the shapes the weights in the file ``name`` have, by number of heads."""


class WindowDialogs:
    """Asks in dialogs of the window; none of them holds the event loop."""

    def __init__(self, window: QWidget, look: ThemeManager) -> None:
        self._window = window
        self._look = look

    def ask_open(self, folder: str, then: Callable[[str], None]) -> None:
        """Ask for a file to open, beginning in ``folder``."""
        dialog = self._file_dialog("Open a run or a model", OPEN_FILTERS, then)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setDirectory(folder)
        dialog.open()

    def ask_open_folder(self, folder: str, then: Callable[[str], None]) -> None:
        """Ask for a model's folder to open, beginning in ``folder``."""
        dialog = self._file_dialog("Open a model's folder", (), then)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setDirectory(folder)
        dialog.open()

    def ask_save(self, wish: SaveWish, then: Callable[[str], None]) -> None:
        """Ask where to save; a file there is overwritten only if the person says so."""
        dialog = self._file_dialog(wish.title, wish.filters, then)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setDirectory(str(Path(wish.path).parent))
        dialog.selectFile(Path(wish.path).name)
        dialog.setDefaultSuffix(suffix_in(wish.filters[0]))
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(suffix_in(chosen)))
        dialog.open()

    def ask_text(self, name: str, can_take_bytes: bool, then: Callable[[bool], None]) -> None:
        """Ask how to feed the model ``name``, which has no tokenizer: True bytes, False ids."""
        dialog = TextDialog(self._look, name, can_take_bytes, self._window)
        dialog.chosen.connect(then)
        dialog.open()

    def ask_heads(
        self, name: str, shapes: dict[int, ModelShape], likely: int, then: Callable[[int], None]
    ) -> None:
        """Ask which of the shapes the weights in the file ``name`` have, by number of heads."""
        dialog = HeadsDialog(self._look, name, shapes, likely, self._window)
        dialog.chosen.connect(then)
        dialog.open()

    def _file_dialog(
        self, title: str, filters: tuple[str, ...], then: Callable[[str], None]
    ) -> QFileDialog:
        dialog = QFileDialog(self._window, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if filters:
            dialog.setNameFilters(filters)
        dialog.fileSelected.connect(then)
        return dialog


def suffix_in(name_filter: str) -> str:
    """Return the ending that a filter such as ``PNG picture (*.png)`` asks for."""
    return name_filter.partition("*.")[2].partition(")")[0]
