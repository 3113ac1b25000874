"""Fewer points that look the same: what a chart of a few hundred pixels can show of many."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int32]
UNSEEN = 0.002  # of a curve's own height: a quarter of a pixel


def thin_line(x: Floats, y: Floats, columns: int) -> tuple[Floats, Floats]:
    """Keep lowest and highest of each of ``columns`` stretches, so that no peak is lost.

    x is ascending; both are float64 [points], returned as they are where there are few.
    """
    if len(x) <= 2 * columns:
        return x, y
    starts = np.linspace(0, len(x), columns, endpoint=False).astype(np.int64)
    pairs = np.column_stack([np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)])
    # A rising stretch is drawn upwards, a falling one downwards: no teeth on a smooth curve.
    ends = np.append(starts[1:], len(x)) - 1
    falling = y[ends] < y[starts]
    pairs[falling] = pairs[falling, ::-1]
    return _thin_smooth(np.column_stack([x[starts], x[ends]]).ravel(), pairs.ravel())


def _thin_smooth(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Keep every eighth point of a curve that looks the same then: strokes cost by the point."""
    few = np.append(np.arange(0, len(x) - 1, 8), len(x) - 1)
    off = np.abs(np.interp(x, x[few], y[few]) - y).max()
    return (x[few], y[few]) if off <= UNSEEN * np.ptp(y) else (x, y)


def squares(pixels: Floats, cell: float) -> Places:
    """Return in which stretch of ``cell`` pixels each one is, counted from pixel 0."""
    return np.floor(pixels / cell).astype(np.int32)


def thin_dots(x: Floats, y: Floats, cell: float) -> tuple[Floats, Floats]:
    """Keep one dot per square of ``cell`` pixels: the cloud keeps its shape, strays included.

    x and y are finite, float64 [points].
    """
    if len(x) < 2:
        return x, y
    across, down = squares(x, cell), squares(y, cell)
    top = down.min()
    square = (across - across.min()) * (down.max() - top + 1) + (down - top)
    # Most neighbours share a square: sorting out those first leaves little for the rest.
    order = np.append(0, np.flatnonzero(square[1:] != square[:-1]) + 1)
    kept = order[_first_of_each(square[order])]
    return x[kept], y[kept]


def _first_of_each(square: Places) -> NDArray[np.intp]:
    """Return the place of the first of all that lie in the same square, ascending."""
    order = np.arange(len(square), dtype=np.int32)
    first = np.empty(int(square.max()) + 1, np.int32)
    # Written backwards, so that what stays in a square is its first dot.
    first[square[::-1]] = order[::-1]
    return np.flatnonzero(first[square] == order)
