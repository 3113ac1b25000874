"""Views painted into an image, and what colour is where."""

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QColor, QImage, QRegion
from PySide6.QtWidgets import QWidget


def painted(view, size=None, ratio=1.0):
    """Paint ``view`` at ``size`` (width, height) and density ``ratio``."""
    if size is not None:
        view.resize(*size)
    image = QImage(
        round(view.width() * ratio), round(view.height() * ratio), QImage.Format.Format_RGB32
    )
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(view.look.theme.bg0))
    view.render(image, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    return image


def color_at(image: QImage, place: QPointF) -> QColor:
    """The colour at a place in logical px."""
    ratio = image.devicePixelRatio()
    return image.pixelColor(int(place.x() * ratio), int(place.y() * ratio))


def has_color(image: QImage, color: QColor) -> bool:
    """Whether any pixel has exactly ``color``."""
    wanted = color.rgb()
    return any(
        image.pixel(x, y) == wanted for y in range(image.height()) for x in range(image.width())
    )


def is_like(color: QColor, hue: QColor, tolerance: int = 12) -> bool:
    """Whether two colours differ by at most ``tolerance`` degrees of hue."""
    apart = abs(color.hslHue() - hue.hslHue())
    return min(apart, 360 - apart) <= tolerance and color.hslSaturation() > 30
