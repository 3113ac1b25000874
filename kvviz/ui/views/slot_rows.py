"""Where the cache's slots stand: one column a token, a K row and a V row a layer."""

from dataclasses import dataclass
from math import floor

from PySide6.QtCore import QPointF, QRectF

GUTTER = 34  # px for the layers' names
WIDEST, APART_FROM = 14.0, 4.0  # px a slot; device px from which slots stand apart
TALLEST, SHORTEST = 10, 3  # px a row
TOP_MARGIN = 3
SEAM = 12.0  # px between slots of two kinds
LABEL_EVERY = 13.0  # px that a layer's name needs


@dataclass(frozen=True, slots=True)
class SlotRows:
    """Geometry of ``slots`` columns and ``layers`` pairs of rows in ``width`` x ``height`` px.

    Slots are at most ``widest`` px at zoom 1.  Those from ``seam`` on stand SEAM px apart from the
    others.  ``top`` px are left free above, ``right`` at the right.
    """

    slots: int
    layers: int
    width: float
    height: float
    zoom: float
    ratio: float
    widest: float = WIDEST
    seam: int = 0
    top: float = TOP_MARGIN
    right: float = 0.0

    @property
    def slot(self) -> float:
        """Width of a slot; whole device px where slots stand apart."""
        room = max(1.0, self.width - self.left - self.right - 2 - self.seam_gap)
        pixels = min(room / max(1, self.slots), self.widest * self.zoom) * self.ratio
        return (floor(pixels) if pixels >= APART_FROM else pixels) / self.ratio

    @property
    def seam_gap(self) -> float:
        """How far slots stand apart at the seam; 0 without one."""
        return round(SEAM * self.zoom) if 0 < self.seam < self.slots else 0

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
        free = self.height - (self.top - TOP_MARGIN)
        pitch = (free + self.gap) / max(1, self.layers)
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
        return QRectF(self.left, self.top, self.x(self.slots) - self.left, height)

    @property
    def label_stride(self) -> int:
        """Every how many layers one is named."""
        stride = 1
        while stride * self.pitch < LABEL_EVERY * self.zoom:
            stride *= 2
        return stride

    def y(self, layer: int, kind: int) -> float:
        """Top of a layer's K (0) or V (1) row."""
        return self.top + layer * self.pitch + kind * (self.row + 1)

    def x(self, slot: int) -> float:
        """Left of a slot."""
        return self.left + slot * self.slot + (self.seam_gap if slot >= self.seam else 0)

    def span(self, first: int, last: int, layer: int, kind: int) -> QRectF:
        """Slots ``first``..``last`` (exclusive) of one row."""
        x = self.x(first)
        return QRectF(x, self.y(layer, kind), self._end(last) - x, self.row)

    def columns(self, first: int, last: int) -> QRectF:
        """Slots ``first``..``last`` (exclusive) of all rows."""
        body, x = self.body, self.x(first)
        return QRectF(x, body.top(), self._end(last) - x, body.height())

    def at(self, position: QPointF) -> tuple[int, int, int] | None:
        """Return (slot, layer, 0 for K or 1 for V) under ``position``."""
        if not self.body.contains(position):
            return None
        slot = self._slot_at(position.x())
        if slot is None:
            return None
        layer, rest = divmod(position.y() - self.top, self.pitch)
        kind = 0 if rest <= self.row else 1
        return min(slot, self.slots - 1), min(int(layer), self.layers - 1), kind

    def _end(self, slot: int) -> float:
        """Right of the slot before ``slot``: a seam behind it is not part of it."""
        return self.x(slot - 1) + self.slot if slot else self.x(0)

    def _slot_at(self, x: float) -> int | None:
        slot = floor((x - self.left) / self.slot)
        if self.seam_gap and slot >= self.seam:
            slot = floor((x - self.left - self.seam_gap) / self.slot)
            return slot if slot >= self.seam else None
        return slot

    @staticmethod
    def height_for(layers: int, zoom: float) -> int:
        """Return the height in px in which ``layers`` read well."""
        roomy = SlotRows(1, layers, 100, 104 * zoom, zoom, 1)
        return int(roomy.body.height() + 2 * TOP_MARGIN)
