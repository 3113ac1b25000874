"""A view as a picture: PNG at a scale of one's own choice, or SVG."""

from pathlib import Path
from typing import Literal, get_args

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRectF, QSize
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QImageWriter,
    QPainter,
    QPalette,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from kvviz.sizing.errors import InputError

PictureSuffix = Literal["png", "svg"]
SCALE = 2.0  # a projector and print ask for more than a screen does
DOTS_PER_INCH = 96  # what the fonts' px are meant for


def picture_of(widget: QWidget, suffix: PictureSuffix, scale: float = SCALE) -> bytes:
    """Return what ``widget`` shows as the bytes of a PNG (``scale`` px to a unit) or an SVG."""
    return svg_of(widget) if suffix == "svg" else png_bytes(image_of(widget, scale))


def copy_picture(widget: QWidget) -> None:
    """Put a picture of ``widget`` on the clipboard."""
    QGuiApplication.clipboard().setImage(image_of(widget))


def image_of(widget: QWidget, scale: float = SCALE) -> QImage:
    """Draw ``widget`` anew at ``scale``, whatever the density of its screen."""
    _check_visible(widget)
    image = QImage(widget.size() * scale, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(_ground_of(widget))
    painter = QPainter(image)
    _render(widget, painter)
    return image


def png_bytes(image: QImage) -> bytes:
    """Encode an image as PNG; may be called from any thread."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"png"))
    if not writer.write(image):
        raise InputError(
            f"The picture could not be made ({writer.errorString()}): make the window smaller."
        )
    return bytes(buffer.data().data())


def svg_of(widget: QWidget) -> bytes:
    """Draw ``widget`` as shapes and text; what it paints as an image stays one."""
    _check_visible(widget)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(DOTS_PER_INCH)
    generator.setSize(QSize(widget.width(), widget.height()))
    generator.setViewBox(QRectF(widget.rect()))
    generator.setTitle(widget.accessibleName() or "kvviz")
    painter = QPainter(generator)
    painter.fillRect(widget.rect(), _ground_of(widget))
    _render(widget, painter)
    return bytes(buffer.data().data())


def suffix_of(path: str) -> PictureSuffix:
    """Return the kind of picture that a file name asks for; raise InputError for another kind."""
    wanted = Path(path).suffix.lower().removeprefix(".")
    for suffix in get_args(PictureSuffix):
        if wanted == suffix:
            return suffix  # type: ignore[no-any-return]
    raise InputError(f"{path} does not end in .png or .svg: give the picture one of these endings.")


def _render(widget: QWidget, painter: QPainter) -> None:
    # Without its own background: that would be the window's colour, not that of the panel.
    widget.render(painter, QPoint(), renderFlags=QWidget.RenderFlag.DrawChildren)
    painter.end()


def _check_visible(widget: QWidget) -> None:
    if widget.size().isEmpty():
        raise InputError("There is nothing to draw: the view is folded away, open it first.")


def _ground_of(widget: QWidget) -> QColor:
    """The colour a widget stands on: that of the nearest ground, as the style sheet made it."""
    place: QWidget | None = widget
    while place is not None:
        if place.property("ground") or place.isWindow():
            return place.palette().color(QPalette.ColorRole.Window)
        place = place.parentWidget()
    return widget.palette().color(QPalette.ColorRole.Window)
