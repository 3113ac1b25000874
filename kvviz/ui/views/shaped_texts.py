"""Texts that are drawn again and again."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QStaticText

MOST_KEPT = 64


class ShapedTexts:
    """Keeps texts as glyphs in their places: finding those takes longer than drawing them."""

    def __init__(self) -> None:
        self._kept: dict[str, QStaticText] = {}

    def draw(self, painter: QPainter, corner: QPointF, text: str) -> None:
        """Draw a line of text in the painter's font and pen, its top left at ``corner``."""
        shaped = self._kept.get(text)
        if shaped is None:
            if len(self._kept) == MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            shaped = self._kept[text] = QStaticText(text)
            shaped.setTextFormat(Qt.TextFormat.PlainText)
        painter.drawStaticText(corner, shaped)
