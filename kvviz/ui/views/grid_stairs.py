"""The stepped edge of the causal triangle."""

from math import ceil, floor

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtGui import QPolygonF

from kvviz.ui.views.grid_camera import GridCamera

SMOOTH_BELOW = 1.5  # px a cell; smaller steps cannot be told from a slope


def stairs(camera: GridCamera, first: int, last: int) -> QPolygonF:
    """Return the outline of what rows ``first``..``last`` (exclusive) see, in px.

    Rows and columns out of sight are left out, but for a margin that keeps an outline's edge
    out of sight too.
    """
    seen_first, seen_last = camera.rows
    top, bottom = max(first, seen_first - 1), min(last, seen_last + 1)
    if top >= bottom:
        return QPolygonF()
    view = camera.viewport
    left = max(camera.x(0), view.left() - camera.cell - 8)
    right = view.right() + camera.cell + 8
    rows = _corners(camera, top, bottom)
    edges = np.clip(camera.x(0) + (rows + 1) * camera.cell, left, right)
    x, y = np.full((2, 2 * len(rows) + 2), left)
    y[0], y[-1] = camera.y(top), camera.y(bottom)
    x[1:-1] = np.repeat(edges, 2)
    y[1:-1:2] = camera.y(0) + rows * camera.cell
    y[2:-1:2] = camera.y(0) + (rows + 1) * camera.cell
    outline: QPolygonF = arrayToQPolygonF(x, y)
    return outline


def _corners(camera: GridCamera, top: int, bottom: int) -> NDArray[np.int64]:
    if camera.cell >= SMOOTH_BELOW:
        return np.arange(top, bottom)
    stride = max(1, floor(1 / (camera.cell * camera.ratio)))
    # A slope needs no more corners than it has pixels, its ends exact.
    count = max(2, ceil((bottom - top) / stride))
    return np.unique(np.rint(np.linspace(top, bottom - 1, count)).astype(np.int64))
