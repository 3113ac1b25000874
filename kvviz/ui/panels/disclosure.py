"""A word that opens what is seldom needed."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button


class Disclosure(QWidget):
    """A quiet button; ``content`` is under it when open."""

    def __init__(
        self, look: ThemeManager, title: str, content: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._title = title
        self.content = content
        self.button = Button(look, "", f"Show or hide: {title.lower()}.", kind="quiet", tight=True)
        self.button.setCheckable(True)
        self.button.toggled.connect(self._on_toggled)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(content)
        self._on_toggled(False)

    @property
    def opened(self) -> bool:
        """Whether the content is shown."""
        return self.button.isChecked()

    def set_open(self, opened: bool) -> None:
        """Show or hide the content."""
        self.button.setChecked(opened)

    @Slot(bool)
    def _on_toggled(self, opened: bool) -> None:
        self.content.setVisible(opened)
        self.button.setText(f"{'▾' if opened else '▸'}  {self._title}")
        self.button.setAccessibleName(f"{self._title}, {'open' if opened else 'closed'}")
