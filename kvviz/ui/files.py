"""Files opened and written beside the window: it never waits, and says how it went."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from PySide6.QtCore import QMimeData, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from kvviz.sizing.errors import InputError
from kvviz.trace.atomic import write_atomically
from kvviz.trace.file import save_trace
from kvviz.trace.table import steps_table
from kvviz.trace.trace import Trace
from kvviz.ui.background import Background
from kvviz.ui.changes import Change
from kvviz.ui.dialogs import Dialogs, SaveWish
from kvviz.ui.drop import dropped_path
from kvviz.ui.export import copy_picture, image_of, png_bytes, suffix_of, svg_of
from kvviz.ui.found import Found, read_path
from kvviz.ui.opener import Opener
from kvviz.ui.store import Store

T = TypeVar("T")
SLOW_MS = 400  # reading that takes longer says so
WRITE_S = 60.0  # how long a window that was closed waits, unseen, for what it was to keep
NOTHING_YET = "There is nothing to export yet: run a prompt first."
TRACE_FILTERS = ("Runs (*.safetensors)",)
TABLE_FILTERS = ("Tables (*.csv)",)
PICTURE_FILTERS = ("PNG picture (*.png)", "SVG picture (*.svg)")


class FolderMemory(Protocol):
    """Remembers the folder last used, "" for none."""

    last_folder: str


class FileDesk(QObject):
    """Opens by content; saves runs, tables and pictures whole or not at all.

    Every method returns at once; what came of it is a change or a notice of the store: ``opened``
    follows a run or a model, ``sized`` has the model of a config.json.
    """

    opened = Signal()
    sized = Signal(object)

    def __init__(
        self, store: Store, dialogs: Dialogs, memory: FolderMemory, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._dialogs = dialogs
        self._memory = memory
        self._opener = Opener(store, dialogs, self.sized.emit, self.opened.emit)
        self._background = Background(self)
        self._background.failed.connect(self._on_failed)
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(self._on_slow)
        self._doing = ""
        self._writing = False
        self._otherwise: Callable[[str], None] = store.tell
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether a file is being read or written."""
        return self._background.busy

    # Opening

    def ask_open(self) -> None:
        """Ask for a file and open it."""
        self._dialogs.ask_open(self._folder(), self.open_path)

    def ask_open_folder(self) -> None:
        """Ask for a model's folder and open it."""
        self._dialogs.ask_open_folder(self._folder(), self.open_path)

    def open_path(self, path: str, otherwise: Callable[[str], None] | None = None) -> None:
        """Open what the content says it is: a run, weights, a config, or a model's folder.

        ``otherwise`` is given the reason where it cannot be opened, which else is only told.
        """

        def read(found: Found) -> None:
            self._remember(path)
            self._opener.take(found)

        self._do(f"Reading {path} …", lambda: read_path(path), read, otherwise)

    def open_dropped(self, mime: QMimeData) -> None:
        """Open what was dropped onto the window."""
        try:
            self.open_path(dropped_path(mime))
        except InputError as error:
            self._store.tell(str(error))

    # Saving

    def ask_save_trace(self) -> None:
        """Ask where to save the run on screen."""
        self._ask_save("Save the run", "run", ".safetensors", TRACE_FILTERS, self.save_trace)

    def ask_export_csv(self) -> None:
        """Ask where to save the steps on screen as a table."""
        self._ask_save("Save the steps", "steps", ".csv", TABLE_FILTERS, self.export_csv)

    def ask_export_picture(self, widget: QWidget) -> None:
        """Ask where to save a picture of ``widget``."""
        name = "-".join(widget.accessibleName().lower().split()[:3]) or "view"
        path = self._suggest(name, ".png")
        wish = SaveWish("Save a picture", path, PICTURE_FILTERS)
        self._dialogs.ask_save(wish, lambda chosen: self.export_picture(widget, chosen))

    def save_trace(self, path: str) -> None:
        """Write the run on screen, as far as it has come."""
        if (trace := self._recorded()) is not None:
            self._write(path, lambda: save_trace(trace, path))

    def export_csv(self, path: str) -> None:
        """Write the steps of the run on screen as CSV."""
        if (trace := self._recorded()) is not None:
            self._write(path, lambda: write_atomically(path, table_bytes(trace)))

    def export_picture(self, widget: QWidget, path: str) -> None:
        """Write a picture of ``widget``: PNG or SVG, by the ending of ``path``."""
        try:
            if suffix_of(path) == "svg":
                svg = svg_of(widget)
                self._write(path, lambda: write_atomically(path, svg))
            else:
                image = image_of(widget)
                self._write(path, lambda: write_atomically(path, png_bytes(image)))
        except InputError as error:
            self._store.tell(str(error))

    def copy_picture(self, widget: QWidget) -> None:
        """Put a picture of ``widget`` on the clipboard."""
        try:
            copy_picture(widget)
        except InputError as error:
            self._store.tell(str(error))
        else:
            name = widget.accessibleName() or "The view"
            self._store.tell(f"{name}: its picture is on the clipboard.", is_error=False)

    def shut_down(self) -> None:
        """Let a write end; what is still being read is dropped."""
        self._closed = True
        self._slow.stop()
        if self._writing:
            self._background.shut_down(WRITE_S)
        else:
            self._background.shut_down()

    def _recorded(self) -> Trace | None:
        """The run on screen as it is now; it may grow while it is written."""
        trace = self._store.trace
        if trace is None or not len(trace):
            self._store.tell(NOTHING_YET)
            return None
        return trace.so_far()

    def _ask_save(
        self,
        title: str,
        what: str,
        suffix: str,
        filters: tuple[str, ...],
        then: Callable[[str], None],
    ) -> None:
        if self._recorded() is not None:
            self._dialogs.ask_save(SaveWish(title, self._suggest(what, suffix), filters), then)

    def _suggest(self, what: str, suffix: str) -> str:
        stamp = time.strftime("%Y%m%d-%H%M%S")
        return str(Path(self._folder()) / f"kvviz-{what}-{stamp}{suffix}")

    def _folder(self) -> str:
        folder = self._memory.last_folder
        return folder if os.path.isdir(folder) else str(Path.home())

    def _write(self, path: str, work: Callable[[], None]) -> None:
        def saved(_: None) -> None:
            self._remember(path)
            self._store.tell(f"Saved {path}.", is_error=False)

        self._do(f"Writing {path} …", work, saved, writing=True)

    def _remember(self, path: str) -> None:
        if os.path.isabs(path):
            self._memory.last_folder = os.path.dirname(path)

    # One thing at a time

    def _do(
        self,
        doing: str,
        work: Callable[[], T],
        then: Callable[[T], None],
        otherwise: Callable[[str], None] | None = None,
        *,
        writing: bool = False,
    ) -> None:
        def ended(value: T) -> None:
            if self._end():
                then(value)

        if self._closed:
            return
        if not self._background.do(work, ended):
            self._store.tell(f"{self._doing} Wait until that has ended, then try again.")
            return
        self._doing, self._otherwise = doing, otherwise or self._store.tell
        self._writing = writing
        self._slow.start()
        self._store.changed.emit(Change.FILES)

    def _end(self) -> bool:
        """Take the news off the screen; False where the window is closing."""
        self._slow.stop()
        if self._closed:
            return False
        notice = self._store.notice
        if notice is not None and notice.text == self._doing:
            self._store.dismiss_notice()
        self._store.changed.emit(Change.FILES)
        return True

    @Slot()
    def _on_slow(self) -> None:
        self._store.tell(self._doing, is_error=False)

    @Slot(str)
    def _on_failed(self, problem: str) -> None:
        if self._end():
            self._otherwise(problem)


def table_bytes(trace: Trace) -> bytes:
    """Return the steps as CSV in UTF-8; half a surrogate pair becomes "?"."""
    return steps_table(trace).encode(errors="replace")
