"""The window's own drawings, in the theme's colours and the screen's density."""

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer

from kvviz.assets import assets_dir
from kvviz.ui.theme import DARK, Theme

NAMES = (
    "play",
    "pause",
    "stop",
    "step-back",
    "step-forward",
    "to-start",
    "to-end",
    "fit",
    "one-to-one",
    "pin",
    "export",
    "copy",
    "settings",
    "help",
    "theme",
    "chevron",
    "close",
    "undo",
    "check",
    "open",
    "more",
)


def themed_pixmap(name: str, theme: Theme, tone: str, side: int, ratio: float) -> QPixmap:
    """Draw icon ``name`` in the colour token ``tone``, ``side`` px square at density ``ratio``.

    ``logo`` keeps its own two colours, those of the phases, and takes no tone.
    """
    if name == "logo":
        svg = _read(name).replace(DARK.prefill, theme.prefill).replace(DARK.decode, theme.decode)
    else:
        svg = _read(name).replace("#000", getattr(theme, tone))
    pixels = max(1, round(side * ratio))
    key = f"{pixels} {ratio} {svg}"
    known = QPixmap()
    if QPixmapCache.find(key, known):
        return known
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    QPixmapCache.insert(key, pixmap)
    return pixmap


def themed_icon(name: str, theme: Theme, tone: str, side: int, ratio: float) -> QIcon:
    """Return icon ``name`` in ``tone``, and in the muted colour where its control is off."""
    icon = QIcon(themed_pixmap(name, theme, tone, side, ratio))
    off = themed_pixmap(name, theme, "muted", side, ratio)
    icon.addPixmap(off, QIcon.Mode.Disabled)
    return icon


@lru_cache(maxsize=len(NAMES) + 1)
def _read(name: str) -> str:
    path: Path = assets_dir() / "icons" / f"{name}.svg"
    return path.read_text(encoding="utf-8")
