"""A scrolling place for what may be higher than there is room."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget


class TallArea(QScrollArea):
    """Scrolls ``content`` up and down only.

    A ``greedy`` one asks for the content's height and no more, another one for the least height,
    and takes what is left over.
    """

    def __init__(
        self, content: QWidget, *, greedy: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._content = content
        self._greedy = greedy
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        policies = QSizePolicy.Policy
        self.setSizePolicy(policies.Preferred, policies.Maximum if greedy else policies.Expanding)
        self.setWidget(content)
        content.installEventFilter(self)

    def sizeHint(self) -> QSize:
        """Return the content's own, or the least."""
        hint = self._content.sizeHint()
        if not self._greedy:
            return QSize(hint.width(), self.minimumHeight())
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
