"""From data units to pixels and back, for one plot."""

from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QPointF, QRectF

from kvviz.ui.views.axis import Axis
from kvviz.ui.views.thinning import Floats

Number = TypeVar("Number", float, Floats)
Line = tuple[float, float, float]  # pixel at the low end, pixels per unit, low end


@dataclass(frozen=True, slots=True)
class PlotScale:
    """A rectangle of pixels and the axes along its sides; both ways map numbers and arrays."""

    rect: QRectF
    x: Axis
    y: Axis
    zoom: float = 1.0

    def x_px(self, x: Number) -> Number:
        """Return the pixel column of ``x``."""
        start, per_unit, low = self._along(self.x, self.rect.left(), self.rect.right())
        return start + (x - low) * per_unit

    def y_px(self, y: Number) -> Number:
        """Return the pixel row of ``y``."""
        start, per_unit, low = self._along(self.y, self.rect.bottom(), self.rect.top())
        return start + (y - low) * per_unit

    def to_pixel(self, x: float, y: float) -> QPointF:
        """Return the pixel of a point."""
        return QPointF(self.x_px(float(x)), self.y_px(float(y)))

    def x_at(self, pixel: float) -> float:
        """Return the x of a pixel column."""
        start, per_unit, low = self._along(self.x, self.rect.left(), self.rect.right())
        return low + (pixel - start) / per_unit

    def y_at(self, pixel: float) -> float:
        """Return the y of a pixel row."""
        start, per_unit, low = self._along(self.y, self.rect.bottom(), self.rect.top())
        return low + (pixel - start) / per_unit

    def _along(self, axis: Axis, start: float, stop: float) -> Line:
        inset = axis.inset * self.zoom * (1 if stop > start else -1)
        length = stop - start - 2 * inset
        return start + inset, length / (axis.high - axis.low), axis.low
