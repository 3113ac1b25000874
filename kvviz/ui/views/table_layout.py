"""Where the boxes of block tables stand: all in one line where they fit, else a row each."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from PySide6.QtCore import QPointF, QRectF

from kvviz.session.pool_picture import Place

BOX, BOX_HEIGHT, DIGIT = 24.0, 15.0, 7.0  # px; the last is what a figure's digit needs
NAME, LABEL, GAP = (
    34.0,
    38.0,
    14.0,
)  # px for a name, with its distance to the boxes, and behind them
BARE_HEIGHT, LOWEST = 9.0, 3.0  # px of boxes without numbers
MOST_HEIGHT = 66.0  # px that all rows may take
LABEL_EVERY = 13.0  # px that a sequence's name needs


@dataclass(frozen=True, slots=True)
class TableLayout:
    """``counts`` boxes of each sequence; ``starts`` say where each one's first box is.

    ``name`` px before them are for what the sequence is called; ``numbered`` boxes have room for
    the physical block's number.
    """

    counts: tuple[int, ...]
    starts: tuple[QPointF, ...]
    box: float
    height: float
    pitch: float
    name: float
    numbered: bool
    in_line: bool

    @property
    def bottom(self) -> float:
        """Where the last row ends."""
        return self.starts[-1].y() + self.height

    @property
    def name_stride(self) -> int:
        """Every how many sequences one is named."""
        return 1 if self.in_line else max(1, -int(-LABEL_EVERY // max(1.0, self.pitch)))

    def rect(self, place: Place) -> QRectF:
        """Return the box of a logical block."""
        start = self.starts[place.row]
        return QRectF(start.x() + place.logical * self.box, start.y(), self.box, self.height)

    def row_at(self, position: QPointF) -> int | None:
        """Return the sequence whose name, in front of its boxes, is under ``position``."""
        for row, start in enumerate(self.starts):
            before = start.x() - position.x()
            if 0 < before <= self.name and 0 <= position.y() - start.y() < self.pitch:
                return row
        return None

    def at(self, position: QPointF) -> Place | None:
        """Return whose box is under ``position``, whether it is filled yet or not."""
        for row, start in enumerate(self.starts):
            logical = floor((position.x() - start.x()) / self.box)
            if 0 <= position.y() - start.y() < self.height and 0 <= logical < self.counts[row]:
                return Place(row, logical)
        return None


def table_layout(
    counts: Sequence[int], most: int, origin: QPointF, width: float, zoom: float
) -> TableLayout:
    """Return the layout of tables of ``counts`` boxes in ``width`` px.

    ``most`` is the largest number to be written into one.
    """
    box = max(BOX, DIGIT * len(str(most)) + 10) * zoom
    label = LABEL * zoom if len(counts) > 1 else 0.0
    gaps = GAP * zoom * (len(counts) - 1)
    if label * len(counts) + gaps + box * sum(counts) <= width:
        return _in_line(tuple(counts), origin, box, label, zoom)
    box = min(box, width / max(1, *counts))
    box = max(1.0, floor(box)) if box >= 1 else box
    numbered = box >= (DIGIT * len(str(most)) + 4) * zoom
    height = (BOX_HEIGHT if numbered else BARE_HEIGHT) * zoom
    pitch = min(height + (2 if numbered else 4) * zoom, MOST_HEIGHT * zoom / len(counts))
    if pitch < height + zoom:
        numbered, height = False, max(LOWEST * zoom, pitch - zoom)
    starts = tuple(origin + QPointF(0, round(row * pitch)) for row in range(len(counts)))
    return TableLayout(
        tuple(counts), starts, box, round(height), pitch, NAME * zoom, numbered, in_line=False
    )


def _in_line(
    counts: tuple[int, ...], origin: QPointF, box: float, label: float, zoom: float
) -> TableLayout:
    starts, x = [], origin.x()
    for count in counts:
        starts.append(QPointF(round(x + label), origin.y()))
        x += label + count * box + GAP * zoom
    height = round(BOX_HEIGHT * zoom)
    return TableLayout(
        counts, tuple(starts), box, height, height, NAME * zoom, numbered=True, in_line=True
    )
