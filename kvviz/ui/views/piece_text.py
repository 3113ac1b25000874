"""A token written on screen: its blank quieter than its letters."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from kvviz.ui.views.pieces import SPACE, visible


def piece_width(piece: str, font: QFont) -> float:
    """Return the px that ``piece`` takes."""
    return QFontMetricsF(font).horizontalAdvance(visible(piece))


def paint_piece(
    painter: QPainter, piece: str, start: QPointF, room: float, letters: QColor, blank: QColor
) -> None:
    """Write ``piece`` in the painter's font from ``start`` on its baseline, elided to ``room``."""
    metrics = QFontMetricsF(painter.font())
    text = metrics.elidedText(visible(piece), Qt.TextElideMode.ElideRight, room)
    word = text.lstrip(SPACE)
    spaces = text[: len(text) - len(word)]
    painter.setPen(blank)
    painter.drawText(start, spaces)
    painter.setPen(letters)
    painter.drawText(start + QPointF(metrics.horizontalAdvance(spaces), 0), word)
