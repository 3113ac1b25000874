"""Where the cache's slots stand: one column a token, a K row and a V row a layer."""

from dataclasses import dataclass
from math import floor

from PySide6.QtCore import QPointF, QRectF

GUTTER = 34  # px for the layers' names
WIDEST, APART_FROM = 14.0, 4.0  # px a slot; device px from which slots stand apart
TALLEST, SHORTEST = 10, 3  # px a row
TOP_MARGIN = 3
LABEL_EVERY = 13.0  # px that a layer's name needs


@dataclass(frozen=True, slots=True)
class SlotRows:
    """Geometry of ``slots`` columns and ``layers`` pairs of rows in ``width`` x ``height`` px."""

    slots: int
    layers: int
    width: float
    height: float
    zoom: float
    ratio: float

    @property
    def slot(self) -> float:
        """Width of a slot; whole device px where slots stand apart."""
        room = max(1.0, self.width - self.left - 2) / max(1, self.slots)
        pixels = min(room, WIDEST * self.zoom) * self.ratio
        return (floor(pixels) if pixels >= APART_FROM else pixels) / self.ratio

    @property
    def apart(self) -> bool:
        """Whether slots have room for gaps between them."""
        return self.slot * self.ratio >= APART_FROM

    @property
    def left(self) -> float:
        """Where slot 0 begins."""
        return round(GUTTER * self.zoom)

    @property
    def row(self) -> int:
        """Height of a K or a V row."""
        pitch = (self.height + self.gap) / max(1, self.layers)
        tallest = round(TALLEST * self.zoom)
        return int(max(SHORTEST, min(tallest, (pitch - self.gap - 1) // 2)))

    @property
    def gap(self) -> int:
        """Space between two layers."""
        return round(self.zoom * (4 if self.layers <= 8 else 2 if self.layers <= 16 else 1))

    @property
    def pitch(self) -> int:
        """From one layer to the next."""
        return 2 * self.row + 1 + self.gap

    @property
    def body(self) -> QRectF:
        """All slots there are, used or not."""
        height = self.layers * self.pitch - self.gap
        return QRectF(self.left, TOP_MARGIN, self.slots * self.slot, height)

    @property
    def label_stride(self) -> int:
        """Every how many layers one is named."""
        stride = 1
        while stride * self.pitch < LABEL_EVERY * self.zoom:
            stride *= 2
        return stride

    def y(self, layer: int, kind: int) -> float:
        """Top of a layer's K (0) or V (1) row."""
        return TOP_MARGIN + layer * self.pitch + kind * (self.row + 1)

    def span(self, first: int, last: int, layer: int, kind: int) -> QRectF:
        """Slots ``first``..``last`` (exclusive) of one row."""
        x = self.left + first * self.slot
        return QRectF(x, self.y(layer, kind), (last - first) * self.slot, self.row)

    def columns(self, first: int, last: int) -> QRectF:
        """Slots ``first``..``last`` (exclusive) of all rows."""
        body = self.body
        x = self.left + first * self.slot
        return QRectF(x, body.top(), (last - first) * self.slot, body.height())

    def at(self, position: QPointF) -> tuple[int, int, int] | None:
        """Return (slot, layer, 0 for K or 1 for V) under ``position``."""
        if not self.body.contains(position):
            return None
        slot = floor((position.x() - self.left) / self.slot)
        layer, rest = divmod(position.y() - TOP_MARGIN, self.pitch)
        kind = 0 if rest <= self.row else 1
        return min(slot, self.slots - 1), min(int(layer), self.layers - 1), kind

    @staticmethod
    def height_for(layers: int, zoom: float) -> int:
        """Return the height in px in which ``layers`` read well."""
        roomy = SlotRows(1, layers, 100, 104 * zoom, zoom, 1)
        return int(roomy.body.height() + 2 * TOP_MARGIN)
