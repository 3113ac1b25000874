"""Words that wrap in whatever width there is."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.ui.fonts import REGULAR, SizeName
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.label import Label


class Prose(Label):
    """Never widens what it stands in, and is exactly as high as its lines."""

    def __init__(
        self,
        manager: ThemeManager,
        text: str = "",
        *,
        size: SizeName = 11,
        weight: QFont.Weight = REGULAR,
        tone: str = "muted",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(manager, text, size=size, weight=weight, tone=tone, parent=parent)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)  # it may be of a file, tags and all
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def minimumSizeHint(self) -> QSize:
        """Return the height at the width it has: Qt's own is that of a much narrower column."""
        return QSize(0, self.heightForWidth(self.width()))

    def sizeHint(self) -> QSize:
        """Return the same."""
        return self.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for another height where lines wrap otherwise."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
