"""A scrolling place that takes the height of what is in it, as far as there is room."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget


class TallArea(QScrollArea):
    """Scrolls ``content`` up and down only; it asks for the content's height and no more."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content = content
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.setWidget(content)
        content.installEventFilter(self)

    def sizeHint(self) -> QSize:
        """Return the content's own."""
        hint = self._content.sizeHint()
        if self._content.hasHeightForWidth():
            hint.setHeight(self._content.heightForWidth(self.viewport().width()))
        return hint

    def minimumSizeHint(self) -> QSize:
        """Return the content's width, and hardly any height: the rest scrolls."""
        return QSize(self._content.minimumSizeHint().width(), 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for another height where lines wrap otherwise."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask for another height when the content wants one."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)
