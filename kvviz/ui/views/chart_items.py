"""What a chart draws: lines of a graph, dots, a ring round one of them, bars."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from pyqtgraph.functions import arrayToQPath, arrayToQPolygonF
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.plot_scale import PlotScale
from kvviz.ui.views.thinning import Floats, squares, thin_dots, thin_line

DotShape = Literal["round", "dash", "up"]
EMPTY = np.empty(0, np.float64)
# Corners of a shape, in halves of its size: across, then down.
SHAPES = {
    "dash": (np.array([-1.0, 1.0]), np.array([0.0, 0.0])),
    "up": (np.array([-1.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0])),
}
ROUND_DOTS = 300  # up to here each dot is seen as one; beyond they are a cloud of small squares


class Line:
    """One curve in one tone; built once, its data are replaced."""

    def __init__(
        self,
        tone: str,
        *,
        width: float = 1.0,
        alpha: float = 1.0,
        dashed: bool = False,
        fill: float = 0.0,
    ) -> None:
        self._tone, self._width, self._alpha = tone, width, alpha
        self._dashed, self._fill = dashed, fill
        self.x, self.y = EMPTY, EMPTY
        self.x_px, self.y_px = EMPTY, EMPTY
        self._polygon, self._foot = QPolygonF(), 0.0
        self._crowded = False
        self._given: tuple[ArrayLike, ArrayLike] = EMPTY, EMPTY
        self._drawn: tuple[PlotScale, int] | None = None

    def set(self, x: ArrayLike, y: ArrayLike) -> None:
        """Take points in data units, x ascending; both [points], and not written to any more."""
        if self._given[0] is not x or self._given[1] is not y:
            self._given, self._drawn = (x, y), None
            self.x, self.y = np.asarray(x, np.float64), np.asarray(y, np.float64)

    def clear(self) -> None:
        """Show nothing."""
        self.set(EMPTY, EMPTY)

    def draw(self, scale: PlotScale, columns: int) -> None:
        """Keep what ``columns`` of pixels can show of the points."""
        if self._drawn == (scale, columns):
            return
        self._drawn = scale, columns
        x, y = thin_line(self.x, self.y, columns)
        self.x_px, self.y_px = scale.x_px(x), scale.y_px(y)
        self._crowded = columns < len(x) < len(self.x)
        if self._crowded:
            self._polygon = band(self.x_px, self.y_px, self._width * scale.zoom)
        else:
            self._polygon = polygon(self.x_px, self.y_px)
        self._foot = scale.y_px(0.0)

    def paint(self, painter: QPainter, look: ThemeManager) -> None:
        """Draw the curve, over the area down to 0 if that is to be filled."""
        if not len(self.x_px):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._fill:
            x = np.append(self.x_px, (self.x_px[-1], self.x_px[0]))
            y = np.append(self.y_px, (self._foot, self._foot))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.color(self._tone, self._fill))
            painter.drawPolygon(polygon(x, y))
        if self._crowded:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.color(self._tone, self._alpha))
            painter.drawPolygon(self._polygon)
            return
        painter.setPen(self._pen(look))
        painter.drawPolyline(self._polygon)

    def _pen(self, look: ThemeManager) -> QPen:
        pen = QPen(look.color(self._tone, self._alpha), self._width * look.zoom)
        if self._dashed:
            pen.setDashPattern([3.0, 3.0])
        return pen


class Dots:
    """Points in one tone; where they would run into one another fewer are drawn."""

    def __init__(self, tone: str, size: float = 5.0, shape: DotShape = "round") -> None:
        self._tone, self._size, self._shape = tone, size, shape
        self.x, self.y = EMPTY, EMPTY
        self.x_px, self.y_px = EMPTY, EMPTY
        self._polygon = QPolygonF()

    def set(self, x: ArrayLike, y: ArrayLike) -> None:
        """Take points in data units; both [points]."""
        self.x, self.y = np.asarray(x, np.float64), np.asarray(y, np.float64)

    def clear(self) -> None:
        """Show nothing."""
        self.x, self.y = EMPTY, EMPTY

    def draw(self, x_px: Floats, y_px: Floats, zoom: float) -> None:
        """Keep what can be seen of the points, now given in pixels."""
        self.x_px, self.y_px = thin_dots(x_px, y_px, 2 * zoom)
        self._polygon = polygon(self.x_px, self.y_px)

    def paint(self, painter: QPainter, look: ThemeManager) -> None:
        """Draw them, smaller as they get closer to one another."""
        if not len(self.x_px):
            return
        crowded = len(self.x_px) > ROUND_DOTS
        pen = QPen(look.color(self._tone), self._fitting(look.zoom))
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, not crowded)
        painter.setPen(pen)
        if self._shape != "round":
            self._paint_shapes(painter, pen, look.zoom)
        elif crowded:
            self._paint_cloud(painter, pen.color(), 2 * look.zoom)
        else:
            painter.drawPoints(self._polygon)

    def _fitting(self, zoom: float) -> float:
        """Diameter that keeps neighbours apart, from the whole size down to half of it."""
        whole = self._size * zoom
        if len(self.x_px) < 2:
            return whole
        apart = float(self.x_px[-1] - self.x_px[0]) / (len(self.x_px) - 1)
        return min(whole, max(0.5 * whole, 0.9 * apart))

    def _paint_cloud(self, painter: QPainter, color: QColor, cell: float) -> None:
        """Draw a square per dot as one picture: drawn one by one, thousands take 2 ms."""
        across, down = squares(self.x_px, cell), squares(self.y_px, cell)
        left, top = int(across.min()), int(down.min())
        width, height = int(across.max()) - left + 1, int(down.max()) - top + 1
        dots = np.zeros((height, width), np.uint32)
        dots[down - top, across - left] = color.rgba()
        cloud = QImage(dots.data, width, height, 4 * width, QImage.Format.Format_ARGB32)
        painter.drawImage(QRectF(left * cell, top * cell, width * cell, height * cell), cloud)

    def _paint_shapes(self, painter: QPainter, pen: QPen, zoom: float) -> None:
        half = self._size * zoom / 2
        pen.setWidthF(1.25 * zoom)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        # One path for all: a call for each takes longer than drawing them.
        across, down = SHAPES[self._shape]
        x = (self.x_px[:, None] + half * across).ravel()
        y = (self.y_px[:, None] + half * down).ravel()
        joined = np.tile(np.arange(len(across)) < len(across) - 1, len(self.x_px))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(arrayToQPath(x, y, connect=joined))


def polygon(x: Floats, y: Floats) -> QPolygonF:
    """Return points, both [points], as Qt wants them."""
    # pyqtgraph writes through the polygon's memory, and an empty one has none.
    return arrayToQPolygonF(x, y) if len(x) else QPolygonF()


def band(x: Floats, y: Floats, width: float) -> QPolygonF:
    """Return what a line of ``width`` fills whose teeth, a pair of points each, are close."""
    ends = y.reshape(-1, 2)
    above, below = ends.min(axis=1) - width / 2, ends.max(axis=1) + width / 2
    across = x[::2]
    return polygon(np.append(across, across[::-1]), np.append(above, below[::-1]))


@dataclass(frozen=True, slots=True)
class Ring:
    """A dot in ``tone`` with an outline round it: where the cursor or the pointer is."""

    x: float
    y: float
    tone: str
    outline: str = "cursor"

    def paint(self, painter: QPainter, look: ThemeManager, at: QPointF) -> None:
        """Draw it at a pixel."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.color(self.outline), 1.75 * look.zoom))
        painter.setBrush(look.color(self.tone))
        painter.drawEllipse(at, 4.25 * look.zoom, 4.25 * look.zoom)

    def box(self, look: ThemeManager, at: QPointF) -> QRectF:
        """Return the room it takes, in pixels."""
        reach = 5.5 * look.zoom
        return QRectF(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from zero to ``y``; one that is ``cut`` goes to the top and carries a break."""

    x: float
    y: float
    tone: str
    cut: bool = False

    def paint(self, painter: QPainter, look: ThemeManager, box: QRectF) -> None:
        """Fill a box of pixels."""
        zoom = look.zoom
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color(self.tone))
        radius = min(1.5 * zoom, box.width() / 3)
        painter.drawRoundedRect(box, radius, radius)
        if self.cut:
            painter.setPen(QPen(look.color("bg1"), 2 * zoom))
            for drop in (9, 13):
                y = box.top() + drop * zoom
                left, right = box.left() - zoom, box.right() + zoom
                painter.drawLine(QPointF(left, y + 2 * zoom), QPointF(right, y - 2 * zoom))
