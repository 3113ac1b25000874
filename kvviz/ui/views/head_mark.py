"""A small sign for what a head looks at, drawn as its weights lie in the grid."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from kvviz.trace.head_kinds import HeadKind

LINES = {
    HeadKind.PREVIOUS: (((0.0, 0.0), (1.0, 1.0)),),
    HeadKind.INDUCTION: (((0.0, 0.0), (1.0, 1.0)), ((0.0, 0.5), (0.5, 1.0))),
    HeadKind.SINK: (((0.0, 0.0), (0.0, 1.0)), ((0.0, 1.0), (1.0, 1.0))),
}
"""From (x, y) to (x, y), of the sign's side: a diagonal, a second one, the first column."""


def paint_mark(painter: QPainter, place: QRectF, kind: HeadKind, color: QColor) -> None:
    """Paint the sign of ``kind`` within ``place``."""
    width = max(1.0, place.width() / 6)
    room = place.adjusted(width / 2, width / 2, -width / 2, -width / 2)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    for start, end in LINES[kind]:
        painter.drawLine(_at(room, *start), _at(room, *end))
    painter.restore()


def _at(room: QRectF, x: float, y: float) -> QPointF:
    return QPointF(room.left() + x * room.width(), room.top() + y * room.height())
