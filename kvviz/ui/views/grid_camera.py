"""Which part of the square of cells is in sight, and how large a cell is."""

from math import ceil, floor

from PySide6.QtCore import QPointF, QRectF

WHOLE_FROM = 4.0  # device px; from here on every cell is the same whole number of them
LARGEST = 64.0  # px a cell, zoomed in
LARGEST_FITTED = 40.0  # px a cell of a short run: a few tokens need no poster
ONE_TO_ONE = 16.0


class GridCamera:
    """Maps cells to pixels in a viewport; fitted until a person zooms.

    Positions are in logical px; ``ratio`` is device px per logical px.  The square never leaves
    the viewport: smaller than it, it stands at its top left; larger, it covers it.
    """

    def __init__(self) -> None:
        self.side = 0
        self.fitted = True
        self.cell = 1.0
        self.origin = QPointF()  # where cell (0, 0) begins
        self.viewport = QRectF()
        self.ratio = 1.0
        self._wish = 1.0  # the cell size asked for, before it is made whole

    @property
    def square(self) -> QRectF:
        """The whole square, in px, in sight or not."""
        extent = self.side * self.cell
        return QRectF(self.origin.x(), self.origin.y(), extent, extent)

    @property
    def visible(self) -> QRectF:
        """The part of the square that is in sight."""
        return self.square.intersected(self.viewport)

    @property
    def rows(self) -> tuple[int, int]:
        """(first, after the last) row in sight."""
        return self._span(self.origin.y(), self.viewport.top(), self.viewport.bottom())

    @property
    def keys(self) -> tuple[int, int]:
        """(first, after the last) key column in sight."""
        return self._span(self.origin.x(), self.viewport.left(), self.viewport.right())

    def set_room(self, viewport: QRectF, ratio: float) -> None:
        """Take another viewport or screen density."""
        self.viewport, self.ratio = viewport, ratio
        self._settle()

    def set_side(self, side: int) -> None:
        """Take another number of rows; a fitted square stays fitted."""
        if side != self.side:
            self.side = side
            self._settle()

    def fit(self) -> None:
        """Show the whole square, and go on doing so as it grows."""
        self.fitted = True
        self._settle()

    def one_to_one(self, size: float, row: int) -> None:
        """Make cells ``size`` px with ``row`` and its own key in sight."""
        self.fitted = False
        self._wish = size
        self.cell = self._whole(size)
        self.reveal(row, row)

    def zoom(self, factor: float, at: QPointF) -> None:
        """Make cells larger by ``factor``, the cell at ``at`` staying there."""
        column = (at.x() - self.origin.x()) / self.cell
        row = (at.y() - self.origin.y()) / self.cell
        smallest = self._fitting()
        self._wish = min(max(self._wish * factor, smallest), max(smallest, LARGEST))
        self.fitted = self._wish <= smallest
        self.cell = smallest if self.fitted else self._whole(self._wish)
        self._place(at.x() - column * self.cell, at.y() - row * self.cell)

    def pan(self, dx: float, dy: float) -> None:
        """Move the square, no further than its edge."""
        self._place(self.origin.x() + dx, self.origin.y() + dy)

    def reveal(self, row: int, key: int | None) -> None:
        """Move the square just as far as brings a cell, or a row, into sight."""
        view, margin = self.viewport, 2 * self.cell
        y, dx = self.y(row), 0.0
        if key is not None:
            x, right = self.x(key), self.x(key + 1)
            dx = max(0.0, view.left() + margin - x) - max(0.0, right + margin - view.right())
        dy = max(0.0, view.top() + margin - y) - max(0.0, y + self.cell + margin - view.bottom())
        self._place(self.origin.x() + dx, self.origin.y() + dy)

    def follow(self, before: int, row: int) -> None:
        """Keep the newest row in sight as it moves from ``before``, if it was in sight there.

        Panned away from, it is left alone.  Its own key stays in sight as well if it was.
        """
        rows, keys = range(*self.rows), range(*self.keys)
        if not self.fitted and before in rows and row >= 0:
            self.reveal(row, row if before in keys else None)

    def x(self, key: int) -> float:
        """Left edge of a key column."""
        return self.origin.x() + key * self.cell

    def y(self, row: int) -> float:
        """Top edge of a row."""
        return self.origin.y() + row * self.cell

    def cell_rect(self, row: int, key: int) -> QRectF:
        """The place of one cell."""
        return QRectF(self.x(key), self.y(row), self.cell, self.cell)

    def cell_at(self, position: QPointF) -> tuple[int, int] | None:
        """Return the (row, key) under ``position``; None outside the square in sight."""
        if not self.visible.contains(position):
            return None
        row = floor((position.y() - self.origin.y()) / self.cell)
        key = floor((position.x() - self.origin.x()) / self.cell)
        return min(row, self.side - 1), min(key, self.side - 1)

    def _span(self, origin: float, low: float, high: float) -> tuple[int, int]:
        first = floor((low - origin) / self.cell)
        last = ceil((high - origin) / self.cell)
        return max(0, min(first, self.side)), max(0, min(last, self.side))

    def _settle(self) -> None:
        if self.fitted or self._wish <= self._fitting():
            self.fitted = True
            self.cell = self._wish = self._fitting()
        else:
            self.cell = self._whole(self._wish)
        self._place(self.origin.x(), self.origin.y())

    def _fitting(self) -> float:
        room = max(1.0, min(self.viewport.width(), self.viewport.height()))
        size = min(room / max(1, self.side), LARGEST_FITTED)
        pixels = size * self.ratio
        return floor(pixels) / self.ratio if pixels >= WHOLE_FROM else size

    def _whole(self, size: float) -> float:
        pixels = size * self.ratio
        whole = round(pixels) / self.ratio if pixels >= WHOLE_FROM else size
        return max(whole, self._fitting())

    def _place(self, x: float, y: float) -> None:
        extent, view = self.side * self.cell, self.viewport
        x = self._bounded(x, view.left(), view.width() - extent)
        y = self._bounded(y, view.top(), view.height() - extent)
        self.origin = QPointF(self._snapped(x), self._snapped(y))

    def _bounded(self, place: float, edge: float, slack: float) -> float:
        return edge if slack >= 0 else min(edge, max(edge + slack, place))

    def _snapped(self, place: float) -> float:
        return round(place * self.ratio) / self.ratio
