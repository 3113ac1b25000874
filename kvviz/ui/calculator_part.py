"""The calculator in the window: its page, its buttons in the bar, its keys, its way out."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QGuiApplication

from kvviz.session.calculator.shrink import shrink
from kvviz.sizing.errors import InputError
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.dialog import ask_config
from kvviz.ui.calculator.page import CalculatorPage
from kvviz.ui.calculator.tools import Tools
from kvviz.ui.top_bar import PLAYGROUND

if TYPE_CHECKING:
    from kvviz.ui.window import MainWindow

NAMES = {"markdown": "Markdown", "text": "Text", "csv": "CSV"}


class CalculatorPart(QObject):
    """What the window asks of the calculator; made when it is first shown."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self.desk = CalculatorDesk(parent=self)
        self.page = CalculatorPage(self.desk, window.look)
        self.tools = Tools(window.look)
        self.ask: Callable[[str], None] = self._ask
        self.page.model.wanted.connect(self.open)
        self.tools.copied.connect(self.copy)
        self.tools.pictured.connect(self.save_picture)
        self.tools.run.connect(self.run_shape)

    @property
    def shown(self) -> bool:
        """Whether the page is on screen."""
        return self.page.isVisible()

    @Slot()
    def open(self) -> None:
        """Ask for a config.json and size it."""
        folder = self._window.preferences.values.last_folder
        self.ask(folder if os.path.isdir(folder) else str(Path.home()))

    @Slot(str)
    def copy(self, kind: str) -> None:
        """Put the answer on the clipboard as markdown, text or csv."""
        QGuiApplication.clipboard().setText(self.page.text(kind))
        self._window.store.tell(f"{NAMES[kind]}: on the clipboard.", is_error=False)

    @Slot()
    def copy_picture(self) -> None:
        """Put a picture of the page on the clipboard."""
        self._window.files.copy_picture(self.page)

    @Slot()
    def save_picture(self) -> None:
        """Save the page as PNG or SVG."""
        self._window.files.ask_export_picture(self.page)

    @Slot()
    def run_shape(self) -> None:
        """Send the shape, as small as this machine needs, to the playground, and go there."""
        controls = self._window.store.controls
        try:
            shrunk = shrink(
                self.desk.sheet.model.config,
                controls.settings,
                controls.free,
                len(controls.prompt_ids),
            )
        except InputError as error:
            self.desk.refuse(str(error))
            return
        self._window.show_part(PLAYGROUND)
        self._window.store.apply(shrunk.settings, shrunk.said)

    @Slot()
    def clear(self) -> None:
        """Take refusal and notice away."""
        self.desk.dismiss()
        self._window.store.dismiss_notice()

    def shut_down(self) -> None:
        """Wait for a file that is being read."""
        self.desk.shut_down()

    def _ask(self, folder: str) -> None:
        ask_config(self._window, folder, self.desk.open_path)
