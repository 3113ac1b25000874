"""One growing picture of the attention grid, at every level of detail."""

import numpy as np

from kvviz.session.shading import Bytes


class Picture:
    """A square of uint8 indices and its max-pooled halvings.

    Level i has one pixel for ``factor(i)`` x ``factor(i)`` cells and holds their maximum, so that
    one bright cell or one decode row never vanishes.  ``max_side`` bounds the finest level; a grid
    larger than that starts pooled.  Widths are multiples of 4, as image rows must be.
    """

    def __init__(self, size: int, max_side: int) -> None:
        self.size = size
        self.rows = 0
        self._base = 1
        while size > self._base * max_side:
            self._base *= 2
        self.levels: list[Bytes] = []
        side = -(-size // self._base)
        while True:
            # Masked as yet; the system hands out zeros when rows come, not all of them here.
            self.levels.append(np.zeros((side, -(-side // 4) * 4), np.uint8))
            if side <= 64:
                break
            side = -(-side // 2)

    def factor(self, level: int) -> int:
        """Cells per pixel along one edge of a level."""
        return self._base << level

    def level_for(self, cells_per_pixel: float) -> int:
        """Return the finest level that has no more pixels than the screen."""
        for level in range(len(self.levels)):
            if self.factor(level) >= cells_per_pixel:
                return level
        return len(self.levels) - 1

    def lines(self, level: int, first: int, rows: int) -> Bytes:
        """Return a level's pixel rows from ``first`` on, of the grid's first ``rows`` rows alone.

        A pixel row that reaches past them is pooled anew: what comes later must not show.
        """
        factor, finest = self.factor(level), self.levels[0]
        lines = self.levels[level][first : -(-rows // factor)]
        if rows % factor and rows < self.rows and len(lines):
            lines = lines.copy()
            start = (len(lines) - 1 + first) * factor
            block = finest[start // self._base : -(-rows // self._base)].max(axis=0, keepdims=True)
            pooled = _pool_columns(block, factor // self._base)[0, : lines.shape[1]]
            lines[-1, : len(pooled)] = pooled
        return lines

    def put_rows(self, start: int, rows: Bytes) -> None:
        """Write indices of rows ``start``.. (uint8 [R, S]) and what lies above them."""
        stop = start + len(rows)
        first = self._merge_base(start, rows)
        last = -(-stop // self._base)
        for level in range(1, len(self.levels)):
            first, last = first // 2, -(-last // 2)
            self._pool(level, first, last)
        self.rows = max(self.rows, stop)

    def _merge_base(self, start: int, rows: Bytes) -> int:
        target = self.levels[0]
        if self._base == 1:
            target[start : start + len(rows), : rows.shape[1]] = rows
            return start
        first, late = divmod(start, self._base)
        pooled = _pool_columns(rows, self._base)
        # The first pixel row may have begun with rows before these.
        pooled = _pool_rows(pooled, self._base, late)
        lines = target[first : first + len(pooled), : pooled.shape[1]]
        np.maximum(lines, pooled, out=lines)
        return first

    def _pool(self, level: int, first: int, last: int) -> None:
        source, target = self.levels[level - 1], self.levels[level]
        tall = _pool_rows(source[2 * first : 2 * last], 2)
        wide = _pool_columns(tall, 2)[:, : target.shape[1]]
        target[first:last, : wide.shape[1]] = wide


# Halves are held against one another: numpy's maximum along a short axis takes 40 times as long.


def _pool_columns(rows: Bytes, factor: int) -> Bytes:
    """Return the maximum of each ``factor`` columns, a power of two; the last may lack some."""
    width = rows.shape[1]
    rows = _framed(rows, 0, len(rows), width + -width % factor)
    for _ in range(factor.bit_length() - 1):
        rows = np.maximum(rows[:, ::2], rows[:, 1::2])
    return rows


def _pool_rows(rows: Bytes, factor: int, late: int = 0) -> Bytes:
    """Return the maximum of each ``factor`` rows, a power of two; the last may lack some.

    The first lacks the ``late`` rows before these.
    """
    height = late + len(rows)
    rows = _framed(rows, late, height + -height % factor, rows.shape[1])
    for _ in range(factor.bit_length() - 1):
        rows = np.maximum(rows[::2], rows[1::2])
    return rows


def _framed(rows: Bytes, top: int, height: int, width: int) -> Bytes:
    """Return rows below ``top`` rows of zeros, and with zeros round them: no maximum is one."""
    if rows.shape == (height, width):
        return rows
    area = np.zeros((height, width), np.uint8)
    area[top : top + len(rows), : rows.shape[1]] = rows
    return area
