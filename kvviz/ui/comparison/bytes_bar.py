"""A bar of what a run holds: used, wasted, and the peak, all runs on one scale."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from kvviz.session.comparison_table import ComparedRow, ComparisonTable
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.textures import fill_rect, hatch


class BytesBar:
    """Solid: used.  Hatched: reserved and not used.  The tick: the peak of the run."""

    def __init__(self, look: ThemeManager, table: ComparisonTable) -> None:
        self._look = look
        peaks = (
            int(row.figures[key] or 0)
            for row in table.rows
            for key in ("bytes_peak", "bytes_reserved")
        )
        self._most = max(peaks, default=0)

    def share(self, row: ComparedRow, key: str) -> float:
        """Return how far a figure of bytes reaches, 0 to 1."""
        return int(row.figures[key] or 0) / self._most if self._most else 0.0

    def paint(self, painter: QPainter, box: QRectF, row: ComparedRow, ratio: float) -> None:
        """Draw the bar of a row into a box."""
        look = self._look
        used, reserved, peak = (
            box.left() + box.width() * self.share(row, key)
            for key in ("bytes_used", "bytes_reserved", "bytes_peak")
        )
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)
        if reserved > used:
            wasted = QRectF(used, box.top(), reserved - used, box.height())
            tile = hatch(look.color("ghost"), 5 * ratio * look.zoom, ratio * look.zoom)
            fill_rect(painter, wasted, tile, ratio)
            painter.setPen(QPen(look.color("ghost", 0.8), look.zoom))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            half = look.zoom / 2
            painter.drawRect(wasted.adjusted(0, half, -half, -half))
            painter.setPen(Qt.PenStyle.NoPen)
        if used > box.left():
            painter.setBrush(look.color("ghost"))
            painter.drawRect(QRectF(box.left(), box.top(), used - box.left(), box.height()))
        if peak > max(used, reserved) + look.zoom:
            painter.setPen(QPen(look.color("secondary"), look.zoom))
            middle = box.center().y()
            painter.drawLine(QPointF(max(used, reserved), middle), QPointF(peak, middle))
            painter.setPen(QPen(look.color("text"), 1.75 * look.zoom))
            painter.drawLine(QPointF(peak, box.top()), QPointF(peak, box.bottom()))
        painter.restore()
