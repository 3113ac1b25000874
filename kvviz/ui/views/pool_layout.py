"""Where the blocks of a pool stand: as large as the room lets them be, the last ones scrolled."""

from dataclasses import dataclass, replace
from math import floor

from PySide6.QtCore import QPointF, QRectF

WIDEST = 14.0  # px a slot, more for blocks of few slots
SLOTS = (28.0, 20.0, 14.0, 12.0, 10.0, 8.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0)
FEW_SLOTS = 56.0  # px a block below which slots may be wider than usual
HEADED = ((15, 20), (15, 12), (15, 9))  # px of a block's heading and of its slots
BARE = (10, 7, 5, 4)
HEAD_FROM = 26.0  # px a block; narrower ones have no heading
HEADED_SLOT, ONE_ROW_SLOT = 3.0, 5.0  # px a slot: less has no headings, or more rows instead
WORDY_FROM = 46.0  # px a block whose heading has room for more than its number
APART_FROM = 4.0  # device px from which slots stand apart


@dataclass(frozen=True, slots=True)
class PoolLayout:
    """``count`` blocks of ``size`` slots from ``area``'s top left, ``scrolled`` rows further down.

    ``slot`` px wide, ``head`` px of words above ``strip`` px of slots, ``gap`` px between blocks of
    a row and ``pitch`` px from a row to the next; all are whole device px.
    """

    count: int
    size: int
    area: QRectF
    ratio: float
    slot: float
    head: float
    strip: float
    gap: float
    pitch: float
    columns: int
    scrolled: int = 0

    @property
    def width(self) -> float:
        """Of a block."""
        return self.slot * self.size

    @property
    def apart(self) -> bool:
        """Whether slots have room for gaps between them."""
        return self.slot * self.ratio >= APART_FROM

    @property
    def rows(self) -> int:
        """Rows of blocks, in sight or not."""
        return -(-self.count // self.columns)

    @property
    def rows_in_sight(self) -> int:
        """Rows that the area has room for."""
        spare = self.pitch - self.head - self.strip
        return max(1, int((self.area.height() + spare + 0.5) // self.pitch))

    @property
    def most_scrolled(self) -> int:
        """Rows that can be scrolled away."""
        return max(0, self.rows - self.rows_in_sight)

    @property
    def height(self) -> float:
        """What all rows take."""
        return self.rows * self.pitch - (self.pitch - self.head - self.strip)

    @property
    def in_sight(self) -> range:
        """The places that are painted."""
        first = self.scrolled * self.columns
        return range(first, min(self.count, first + self.rows_in_sight * self.columns))

    def row_of(self, place: int) -> int:
        """Return the row that a place is in, those scrolled away counted."""
        return place // self.columns

    def whole(self, place: int) -> QRectF:
        """Return a block with its heading."""
        row, column = divmod(place, self.columns)
        x = self.area.left() + column * (self.width + self.gap)
        y = self.area.top() + (row - self.scrolled) * self.pitch
        return QRectF(x, y, self.width, self.head + self.strip)

    def slots(self, place: int, first: int = 0, last: int | None = None) -> QRectF:
        """Return slots ``first``..``last`` (exclusive) of a block."""
        whole, last = self.whole(place), self.size if last is None else last
        x = whole.left() + first * self.slot
        return QRectF(x, whole.top() + self.head, (last - first) * self.slot, self.strip)

    def at(self, position: QPointF) -> tuple[int, int | None] | None:
        """Return (place, slot) under ``position``, None for the slot on a heading."""
        column = floor((position.x() - self.area.left()) / (self.width + self.gap))
        row = floor((position.y() - self.area.top()) / self.pitch) + self.scrolled
        place = row * self.columns + column
        if not 0 <= column < self.columns or place not in self.in_sight:
            return None
        whole = self.whole(place)
        if not whole.contains(position):
            return None
        slot = min(self.size - 1, floor((position.x() - whole.left()) / self.slot))
        return place, slot if position.y() >= whole.top() + self.head else None


def pool_layout(
    count: int, size: int, area: QRectF, zoom: float, ratio: float, scrolled: int = 0
) -> PoolLayout:
    """Return the layout in which ``count`` blocks read best: one row of them, or fewer words."""

    def made(slot: float, head: int, strip: int) -> PoolLayout:
        def snapped(units: float) -> float:
            return max(1, round(units * zoom * ratio)) / ratio

        wide = max(1, floor(min(slot * zoom, area.width() / size) * ratio)) / ratio
        gap = snapped(10 if head else 4 if wide * ratio >= APART_FROM else 2)
        height = (snapped(head) if head else 0.0) + snapped(strip)
        return PoolLayout(
            count,
            size,
            area,
            ratio,
            slot=wide,
            head=snapped(head) if head else 0.0,
            strip=snapped(strip),
            gap=gap,
            pitch=height + snapped(8 if head else 3),
            columns=max(1, floor((area.width() + gap) / (wide * size + gap))),
        )

    slots = [slot for slot in SLOTS if slot <= WIDEST or slot * size <= FEW_SLOTS]
    headed = [
        layout
        for slot in slots
        for head, strip in HEADED
        if slot >= HEADED_SLOT and (layout := made(slot, head, strip)).width >= HEAD_FROM * zoom
    ]
    bare = [made(slot, 0, strip) for slot in slots for strip in BARE if strip >= min(slot, 9.0)]
    fits = [layout for layout in (*headed, *bare) if not layout.most_scrolled]
    wordy = (made for made in fits if made.head and made.width >= WORDY_FROM * zoom)
    in_a_row = (made for made in wordy if made.rows == 1 and made.slot >= ONE_ROW_SLOT * zoom)
    chosen = next(in_a_row, fits[0] if fits else made(slots[-1], 0, BARE[-1]))
    return replace(chosen, scrolled=max(0, min(scrolled, chosen.most_scrolled)))
