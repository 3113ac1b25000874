"""A part below the grid: a heading with facts beside it, and rows under it."""

from abc import abstractmethod

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.section_header import SectionHeader


class FactPanel(QWidget):
    """There only where it has something to say; ``refresh`` follows every change of concern.

    A spared one is out of sight all the same.
    """

    concerns = Change.RUNS | Change.STEPS | Change.CURSOR

    def __init__(
        self, store: Store, look: ThemeManager, title: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.store, self.look = store, look
        self.there = self._spared = False
        self._rows: list[QHBoxLayout] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._heading = SectionHeader(look, title)
        self._heading.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAccessibleName(title)
        store.changed.connect(self._on_changed)
        look.changed.connect(self._restyle)

    def set_there(self, there: bool) -> None:
        """Take whether there is something to say."""
        self.there = there
        self.setVisible(there and not self._spared)

    def spare(self, spared: bool) -> None:
        """Leave the room to others for a while, or no longer."""
        self._spared = spared
        self.set_there(self.there)

    def add_head(self, left: QWidget, *right: QWidget) -> None:
        """Put ``left`` beside the heading, and ``right`` at the end of that line."""
        row = self.add_row(self._heading, left)
        row.addStretch(1)
        for part in right:
            row.addWidget(part)

    def add_row(self, *parts: QWidget) -> QHBoxLayout:
        """Put parts side by side below what is there."""
        row = QHBoxLayout()
        for part in parts:
            row.addWidget(part)
        self._rows.append(row)
        self._column.addLayout(row)
        self._restyle()
        return row

    @abstractmethod
    def refresh(self) -> None:
        """Read the store and show it, or hide."""

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & self.concerns:
            self.refresh()

    @Slot()
    def _restyle(self) -> None:
        self._column.setSpacing(self.look.px(4))
        for row in self._rows:
            row.setSpacing(self.look.px(10))
