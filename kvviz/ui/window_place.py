"""Where a window stands, and how large: as it was left, as far as the screens still allow."""

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow, QStyle

from kvviz.ui.preferences import Preferences

LEAST = QSize(640, 480)  # px, logical, as all of these
MOST = QSize(16384, 16384)


def restore_place(window: QMainWindow, values: Preferences) -> None:
    """Put the window where it was left."""
    corner, screen = None, None
    if values.left is not None and values.top is not None:
        corner = QPoint(values.left, values.top)
        screen = QGuiApplication.screenAt(corner)
    # That screen may be gone since, and this one smaller: a window must be seen, all of it.
    room = (screen or window.screen()).availableSize()
    title = window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
    wanted = QSize(values.width, values.height)
    window.resize(wanted.boundedTo(room - QSize(0, title)))
    if corner is not None and screen is not None and window.size() == wanted:
        window.move(corner)


def remember_place(window: QMainWindow, values: Preferences) -> None:
    """Note where the window is; one that fills the screen leaves what was noted before."""
    if window.isMaximized():
        return
    size = window.size().expandedTo(LEAST).boundedTo(MOST)
    values.width, values.height = size.width(), size.height()
    values.left, values.top = window.x(), window.y()
