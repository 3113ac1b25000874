"""A vector as a row of small bars: up is positive, down negative, brightness the size."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from kvviz.trace.step import Floats

FAINTEST = 0.45
LEAST_GAP_FROM = 4.0  # px a bar; thinner ones stand side by side


def paint_vector(
    painter: QPainter, box: QRectF, values: Floats, largest: float, ink: QColor
) -> None:
    """Paint values [N] from a middle line; ``largest`` reaches the edge."""
    middle, half = box.center().y(), box.height() / 2
    shares = _shares(values, largest)
    line = QColor(ink)
    line.setAlphaF(0.25)
    painter.setPen(Qt.PenStyle.NoPen)
    for left, width, share in zip(*_places(box, len(values)), shares, strict=True):
        height = abs(share) * half
        color = QColor(ink)
        color.setAlphaF(FAINTEST + (1 - FAINTEST) * abs(share))
        painter.fillRect(
            QRectF(left, middle - height if share > 0 else middle, width, height), color
        )
    painter.setPen(line)
    painter.drawLine(QLineF(box.left(), middle, box.right(), middle))


def paint_row(
    painter: QPainter, box: QRectF, weights: Floats, marked: int, ink: QColor, mark: QColor
) -> None:
    """Paint weights [N] from the lower edge, the strongest full; one of them in another colour."""
    shares = _shares(weights, float(weights.max(initial=0.0)))
    lefts, widths = _places(box, len(weights))
    for index, share in enumerate(shares):
        height = max(1.0, share * box.height())
        left, width = lefts[index], widths[index]
        if index == marked:  # never thinner than can be seen
            left, width = left - max(0.0, 3 - width) / 2, max(3.0, width)
        place = QRectF(left, box.bottom() - height, width, height)
        painter.fillRect(place, mark if index == marked else ink)


def _shares(values: Floats, largest: float) -> NDArray[np.float32]:
    shares: NDArray[np.float32] = np.clip(values / np.float32(largest or 1.0), -1, 1)
    return shares


def _places(box: QRectF, count: int) -> tuple[Sequence[float], Sequence[float]]:
    step = box.width() / max(1, count)
    width = step - 1 if step >= LEAST_GAP_FROM else step
    return [box.left() + place * step for place in range(count)], [width] * count
