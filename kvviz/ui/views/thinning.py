"""Fewer points that look the same: what a chart of a few hundred pixels can show of many."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
    return np.column_stack([x[starts], x[ends]]).ravel(), pairs.ravel()


def thin_dots(x: Floats, y: Floats, cell: float) -> tuple[Floats, Floats]:
    """Keep one dot per square of ``cell`` pixels: the cloud keeps its shape, strays included."""
    square = np.column_stack([x // cell, y // cell]).astype(np.int64)
    # One number per square; charts are far narrower than 2^20 pixels.
    _, first = np.unique(square[:, 0] * (1 << 20) + square[:, 1], return_index=True)
    first.sort()
    return x[first], y[first]
