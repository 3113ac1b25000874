"""Rows of a prompt that were found in a pool: nothing was computed for them, and it shows."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from kvviz.ui.theme import DARK, Theme, ThemeManager
from kvviz.ui.views.grid_camera import GridCamera
from kvviz.ui.views.grid_stairs import stairs
from kvviz.ui.views.textures import fill, hatch

NOTE = "found in the pool, not computed"
HATCH_STEP = 6.0


def paint_found(painter: QPainter, camera: GridCamera, theme: Theme, count: int) -> None:
    """Cover the first ``count`` rows with a hatch in the prefill's hue: no score was made there."""
    if not count:
        return
    shape, ratio = stairs(camera, 0, count), camera.ratio
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("not_yet"))
    painter.drawPolygon(shape)
    lines = hatch(theme.color("prefill", 0.75), HATCH_STEP * ratio, ratio)
    fill(painter, shape, lines, camera.origin, ratio)


def found_note(camera: GridCamera, look: ThemeManager, count: int) -> QRectF | None:
    """Return where it is said, in the masked area beside them; None where there is no room."""
    width = QFontMetricsF(look.font(11)).horizontalAdvance(NOTE)
    height, row = look.px(16), count // 2
    left, middle = camera.x(row + 1) + look.px(10), camera.y(row) + camera.cell / 2
    taken = camera.visible.top() + look.px(26)  # by the note on what is masked
    room = QRectF(left, max(taken, middle - height / 2), width + 2, height)
    beside = int((room.bottom() - camera.y(0)) / camera.cell) + 2
    room.moveLeft(max(left, camera.x(beside) + look.px(4)))
    fits = count and camera.visible.contains(room) and camera.y(count) >= room.top()
    return room if fits else None


def paint_found_note(painter: QPainter, camera: GridCamera, look: ThemeManager, count: int) -> None:
    """Say so, where there is room."""
    if (room := found_note(camera, look, count)) is not None:
        painter.setFont(look.font(11))
        painter.setPen(QColor(DARK.prefill))  # the masked area is dark in every theme
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, NOTE)
