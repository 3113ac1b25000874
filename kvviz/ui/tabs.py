"""The words in the bar that say which part of kvviz is on screen."""

from collections.abc import Callable

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.segmented import Segmented

Build = Callable[[], QWidget]


class Tabs(QWidget):
    """One word a page; ``chosen(name)`` when a person picks one, ``set_current`` is silent."""

    chosen = Signal(str)

    def __init__(
        self,
        look: ThemeManager,
        names: tuple[tuple[str, str], ...],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        options = [(name, name, tooltip) for name, tooltip in names]
        self._words = Segmented(look, options, kind="bare", name="Parts of kvviz")
        for name, _ in names:
            # The word lit may be pressed again: it leads back to its own first page.
            self._words.button(name).clicked.connect(self._on_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._words)

    @property
    def current(self) -> str:
        """The word that is lit."""
        return str(self._words.value)

    def set_current(self, name: str) -> None:
        """Light another word."""
        self._words.set_value(name)

    @Slot()
    def _on_clicked(self) -> None:
        self.chosen.emit(self.current)


class Pages(QStackedWidget):
    """Pages by name, each built when it is first asked for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._builders: dict[str, Build] = {}
        self._built: dict[str, QWidget] = {}

    def register(self, name: str, build: Build) -> None:
        """Say how the page ``name`` is made."""
        self._builders[name] = build

    def page(self, name: str) -> QWidget:
        """Return a page, building it if it is not there yet; raise KeyError for another name."""
        if name not in self._built:
            self._built[name] = self._builders[name]()
            self.addWidget(self._built[name])
        return self._built[name]

    def show_page(self, name: str) -> None:
        """Put a page on screen."""
        self.setCurrentWidget(self.page(name))
