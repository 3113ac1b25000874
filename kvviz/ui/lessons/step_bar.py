"""How far a lesson is: a short line for each step, those behind us lit."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.ui.theme import ThemeManager

HEIGHT, GAP = 3, 4


class StepBar(QWidget):
    """Lines side by side; it is looked at, not pressed."""

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._done, self._count = 0, 1
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        look.changed.connect(self.updateGeometry)

    def set_place(self, index: int, count: int) -> None:
        """Light the steps up to ``index``, of ``count``."""
        self._done, self._count = index + 1, count
        self.setAccessibleName(f"Step {index + 1} of {count}")
        self.update()

    def sizeHint(self) -> QSize:
        """Return a line's height."""
        return QSize(self._look.px(120), self._look.px(HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        gap = self._look.px(GAP)
        width = (self.width() - gap * (self._count - 1)) / self._count
        for place in range(self._count):
            painter.setBrush(self._look.color("text" if place < self._done else "bg3"))
            box = QRectF(place * (width + gap), 0, width, self.height())
            painter.drawRoundedRect(box, self.height() / 2, self.height() / 2)
        painter.end()
