"""The stepped edge of the causal triangle."""

from math import ceil, floor

from PySide6.QtCore import QPointF
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
    points = [QPointF(left, camera.y(top))]
    for row in _corners(camera, top, bottom):
        edge = max(left, min(camera.x(row + 1), right))
        points.append(QPointF(edge, camera.y(row)))
        points.append(QPointF(edge, camera.y(row + 1)))
    points.append(QPointF(left, camera.y(bottom)))
    return QPolygonF(points)


def _corners(camera: GridCamera, top: int, bottom: int) -> list[int]:
    if camera.cell >= SMOOTH_BELOW:
        return list(range(top, bottom))
    stride = max(1, floor(1 / (camera.cell * camera.ratio)))
    # A slope needs no more corners than it has pixels, its ends exact.
    count = max(2, ceil((bottom - top) / stride))
    rows = {top + round(i * (bottom - 1 - top) / (count - 1)) for i in range(count)}
    return sorted(rows)
