"""Where a label can stand in a chart without touching a line, a dot or another label."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF

GAP = 5.0  # px at zoom 1 between a line and its name
RING_GAP = 9.0  # between a point and a name beside the ring round it
Pixels = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Spot:
    """A place to try: a point in data units, and which part of the text's box sits there.

    ``across`` 0 lets the text begin at the point, 1 end there; ``down`` 0 puts it below the point,
    1 above it.  ``gap`` px at zoom 1 are left free between them.
    """

    x: float
    y: float
    across: float = 0.0
    down: float = 1.0
    gap: float = GAP


@dataclass(frozen=True, slots=True)
class Note:
    """Words at the line they name, and the spots where they may stand, the best first.

    Where none is free a ``firm`` one moves away from its line instead of being left out.
    """

    text: str
    tone: str
    spots: tuple[Spot, ...]
    firm: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """Words and their box in pixels; ``named`` is the point that they were moved away from."""

    note: Note
    box: QRectF
    named: QPointF | None = None

    def leader(self) -> QLineF | None:
        """Return the line from the words to what they name; None where they stand at it."""
        if self.named is None:
            return None
        box, named = self.box, self.named
        x = max(box.left() + 2, min(named.x(), box.right() - 2))
        return QLineF(QPointF(x, box.top() if named.y() < box.top() else box.bottom()), named)


class LabelRoom:
    """The free room of one chart, in pixels: columns crossed by curves, and boxes taken."""

    def __init__(self, bounds: QRectF, gap: float) -> None:
        self._bounds = bounds
        self._gap = gap
        self._left = int(bounds.left())
        self._columns = max(1, int(bounds.width()) + 1)
        self._spans: list[tuple[Pixels, Pixels]] = []
        self._stacked: tuple[Pixels, Pixels] | None = None
        self._boxes: list[QRectF] = []
        self._hairlines: list[float] = []

    def add_hairline(self, y: float) -> None:
        """Keep labels off a level line where they can; one with no other room may cross it."""
        self._hairlines.append(y)

    def add_curve(self, x: Pixels, y: Pixels) -> None:
        """Keep labels off a curve of ascending ``x``; each column remembers how far it spans."""
        if not len(x):
            return
        edges = np.arange(self._columns + 1, dtype=np.float64) + self._left
        at_edges = np.interp(edges, x, y, left=np.nan, right=np.nan)
        low = np.fmin(at_edges[:-1], at_edges[1:])
        high = np.fmax(at_edges[:-1], at_edges[1:])
        column = np.clip(x.astype(np.int64) - self._left, 0, self._columns - 1)
        np.fmin.at(low, column, y)
        np.fmax.at(high, column, y)
        self._add_span(low, high)

    def add_points(self, x: Pixels, y: Pixels) -> None:
        """Keep labels off single points."""
        low = np.full(self._columns, np.nan)
        column = np.clip(x.astype(np.int64) - self._left, 0, self._columns - 1)
        high = low.copy()
        np.fmin.at(low, column, y)
        np.fmax.at(high, column, y)
        self._add_span(low, high)

    def add_box(self, box: QRectF) -> None:
        """Keep labels off a box."""
        self._boxes.append(box)

    def place(self, size: QSizeF, corners: Iterable[tuple[float, float]]) -> QRectF | None:
        """Take the first free box of ``size`` at one of ``corners`` (left, top); None: no room."""
        taken = None
        for left, top in corners:
            box = QRectF(left, top, size.width(), size.height())
            if not self.free(box):
                continue
            if not self._on_hairline(box):
                taken = box
                break
            taken = taken or box
        if taken is not None:
            self.add_box(taken)
        return taken

    def place_apart(self, size: QSizeF, points: Sequence[QPointF]) -> tuple[QRectF, QPointF] | None:
        """Take the free box nearest above or below one of ``points``; return it and that point.

        None where all of the chart is taken.
        """
        line = size.height() + self._gap
        for lines in range(1, int(self._bounds.height() / line) + 1):
            for point, side in product(points, (-1, 1)):
                middle = point.y() + side * lines * line
                for across in (1.0, 0.5, 0.0):
                    left, top = point.x() - across * size.width(), middle - size.height() / 2
                    box = QRectF(left, top, size.width(), size.height())
                    if self.free(box):
                        self.add_box(box)
                        return box, point
        return None

    def free(self, box: QRectF) -> bool:
        """Whether nothing is in ``box`` and the gap round it."""
        if not self._bounds.contains(box):
            return False
        gap = self._gap
        wide = box.adjusted(-gap, -gap / 2, gap, gap / 2)
        if any(wide.intersects(taken) for taken in self._boxes):
            return False
        first = max(0, int(wide.left()) - self._left)
        last = min(self._columns, int(wide.right()) - self._left + 1)
        if not self._spans:
            return True
        if self._stacked is None:
            lows, highs = zip(*self._spans, strict=True)
            self._stacked = np.array(lows), np.array(highs)
        low, high = (side[:, first:last] for side in self._stacked)
        return not ((low < wide.bottom()) & (high > wide.top())).any()

    def _add_span(self, low: Pixels, high: Pixels) -> None:
        self._spans.append((low, high))
        self._stacked = None

    def _on_hairline(self, box: QRectF) -> bool:
        return any(box.top() <= y <= box.bottom() for y in self._hairlines)


def corner(at: QPointF, spot: Spot, size: QSizeF, zoom: float) -> tuple[float, float]:
    """Return the top left corner of a box of ``size`` that hangs on the spot's pixel."""
    gap = spot.gap * zoom
    left = at.x() - spot.across * size.width() + (1 - 2 * spot.across) * gap
    top = at.y() - spot.down * size.height() + (1 - 2 * spot.down) * gap
    return left, top


def along(
    x: Sequence[float] | Pixels,
    y: Sequence[float] | Pixels,
    shares: Sequence[float],
    *,
    across: float = 1.0,
    down: Sequence[float] = (1.0, 0.0),
    gap: float = GAP,
) -> tuple[Spot, ...]:
    """Return spots on a curve at shares of its length, above and below it."""
    if not len(x):
        return ()
    places = np.array(shares) * (len(x) - 1)
    index = np.arange(len(x))
    at_x, at_y = np.interp(places, index, x), np.interp(places, index, y)
    return tuple(
        Spot(float(px), float(py), across, side, gap)
        for px, py in zip(at_x, at_y, strict=True)
        for side in down
    )
