"""An answer to a question, and the key that gives it."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPen, QPixmap

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button

SIDE, GAP, CORNER = 16, 4, 4  # px at zoom 1


class AnswerButton(Button):
    """The key stands before the answer as on a keyboard: an answer may be a number too."""

    def __init__(self, look: ThemeManager, key: int, answer: str) -> None:
        self._look, self.key = look, key
        super().__init__(look, answer, kind="strong")
        self.setAccessibleDescription(f"Key {key}")

    def _restyle(self) -> None:
        super()._restyle()
        side = self._look.px(SIDE)
        size = QSize(side + self._look.px(GAP), side)
        self.setIcon(QIcon(self._key_cap(size)))
        self.setIconSize(size)

    def _key_cap(self, size: QSize) -> QPixmap:
        look, ratio, side = self._look, self.devicePixelRatio(), size.height()
        pixmap = QPixmap((size.toSizeF() * ratio).toSize())
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(0, 0, side, side)
        painter.setPen(QPen(look.color("muted"), max(1.0, look.px(1))))
        corner = look.px(CORNER)
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)
        painter.setPen(look.color("secondary"))
        painter.setFont(look.font(11))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(self.key))
        painter.end()
        return pixmap
