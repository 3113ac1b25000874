"""Patterns that say without colour what a place is: gaps between cells, free, moved again."""

from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap, QPolygonF, QTransform

LARGE = 256  # px


def cell_gaps(width: float, height: float, gap: float, radius: float, color: QColor) -> QPixmap:
    """Return a tile of ``color`` that leaves one rounded hole for a cell, all in device px.

    ``gap`` is the frame's width at the cell's right and bottom: an area's own edge stays straight.
    """
    size = (max(1, round(width)), max(1, round(height)))
    return _gaps_tile(size, max(1, round(gap)), radius, color.rgba())


def hatch(color: QColor, step: float, line: float = 1.0) -> QPixmap:
    """Return a tile of diagonal lines ``step`` apart and ``line`` wide, in device px."""
    return _hatch_tile(max(3, round(step)), line, color.rgba())


def boxes(width: float, height: float, color: QColor, line: float) -> QPixmap:
    """Return a tile of one empty outlined box, ``line`` device px of space at its right."""
    size = (max(1, round(width)), max(1, round(height)))
    return _box_tile(size, max(1, round(line)), color.rgba())


def fill(painter: QPainter, shape: QPolygonF, tile: QPixmap, origin: QPointF, ratio: float) -> None:
    """Fill ``shape`` (logical px) with ``tile`` (device px), the first one at ``origin``.

    Painted in device px: a tile that is only moved is several times faster than a scaled one.
    """
    painter.save()
    painter.scale(1 / ratio, 1 / ratio)
    start = QPointF((origin * ratio).toPoint())
    # The painter is moved, not the brush: an SVG knows nothing of a brush's own place.
    painter.translate(start)
    moved = QTransform.fromTranslate(-start.x(), -start.y())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(tile))
    painter.drawPolygon((QTransform.fromScale(ratio, ratio) * moved).map(shape))
    painter.restore()


def fill_rect(painter: QPainter, rect: QRectF, tile: QPixmap, ratio: float) -> None:
    """Fill ``rect`` (logical px) with ``tile``, the first one at its top left."""
    fill(painter, QPolygonF(rect), tile, rect.topLeft(), ratio)


@lru_cache(maxsize=64)
def _gaps_tile(size: tuple[int, int], frame: int, radius: float, rgba: int) -> QPixmap:
    tile = QPixmap(*size)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.fillRect(tile.rect(), QColor.fromRgba(rgba))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(Qt.GlobalColor.black)
    painter.drawRoundedRect(QRectF(0, 0, size[0] - frame, size[1] - frame), radius, radius)
    painter.end()
    return _repeated(tile)


@lru_cache(maxsize=32)
def _box_tile(size: tuple[int, int], line: int, rgba: int) -> QPixmap:
    width, height = size
    tile = QPixmap(width, height)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    outer = QRect(0, 0, width - line, height)
    painter.fillRect(outer, QColor.fromRgba(rgba))
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
    painter.fillRect(outer.adjusted(line, line, -line, -line), Qt.GlobalColor.black)
    painter.end()
    return _repeated(tile)


@lru_cache(maxsize=32)
def _hatch_tile(step: int, line: float, rgba: int) -> QPixmap:
    tile = QPixmap(step, step)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor.fromRgba(rgba), line))
    for shift in (-step, 0, step):
        painter.drawLine(shift - 1, step + 1, shift + step + 1, -1)
    painter.end()
    return _repeated(tile)


def _repeated(tile: QPixmap) -> QPixmap:
    # Each repeat costs as much as some hundred pixels, so a tile is made of many.
    across, down = -(-LARGE // tile.width()), -(-LARGE // tile.height())
    large = QPixmap(tile.width() * across, tile.height() * down)
    large.fill(Qt.GlobalColor.transparent)
    painter = QPainter(large)
    painter.drawTiledPixmap(large.rect(), tile)
    painter.end()
    return large
