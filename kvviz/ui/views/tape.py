"""Where all tokens of a run stand in one thin line."""

from dataclasses import dataclass
from math import floor

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from kvviz.ui.views.slot_rows import APART_FROM, GUTTER, TOP_MARGIN, WIDEST
from kvviz.ui.views.textures import cell_gaps, fill_rect

HEIGHT, BELOW = 9, 5  # px


@dataclass(frozen=True, slots=True)
class Tape:
    """Geometry of ``count`` tokens in ``width`` px, as wide as slots at most."""

    count: int
    width: float
    zoom: float
    ratio: float

    @property
    def cell(self) -> float:
        """Width of a token; whole device px where tokens stand apart."""
        room = max(1.0, self.width - self.left - 2) / max(1, self.count)
        pixels = min(room, WIDEST * self.zoom) * self.ratio
        return (floor(pixels) if pixels >= APART_FROM else pixels) / self.ratio

    @property
    def left(self) -> float:
        """Where the first token begins."""
        return round(GUTTER * self.zoom)

    @property
    def name(self) -> QRectF:
        """Where the line's name stands."""
        middle = self.span(0, 1).center().y()
        return QRectF(0, middle - 8 * self.zoom, self.left, 16 * self.zoom)

    def span(self, first: int, last: int) -> QRectF:
        """Tokens ``first``..``last`` (exclusive)."""
        x = self.left + first * self.cell
        return QRectF(x, TOP_MARGIN, (last - first) * self.cell, round(HEIGHT * self.zoom))

    def at(self, position: QPointF) -> int | None:
        """Return the token under ``position``, seen or not."""
        if not self.span(0, self.count).contains(position):
            return None
        return min(self.count - 1, floor((position.x() - self.left) / self.cell))

    def paint_gaps(self, painter: QPainter, count: int, ground: QColor) -> None:
        """Part the first ``count`` tokens from one another where they have room for it."""
        area, ratio = self.span(0, count), self.ratio
        if count and self.cell * ratio >= APART_FROM:
            tall = (area.height() + 4) * ratio
            fill_rect(painter, area, cell_gaps(self.cell * ratio, tall, ratio, 0, ground), ratio)

    @staticmethod
    def height_for(zoom: float) -> int:
        """Return the height in px that the line takes, with what parts it from the next."""
        return round((HEIGHT + BELOW) * zoom)
