"""One causal square: masked, not yet, and the cells computed so far."""

from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from kvviz.session.picture import Picture
from kvviz.session.scene import Scene
from kvviz.trace.step import Phase
from kvviz.ui.theme import Theme
from kvviz.ui.views.color_table import Colors, flat_color, index_image
from kvviz.ui.views.found_rows import paint_found
from kvviz.ui.views.grid_camera import GridCamera
from kvviz.ui.views.grid_stairs import stairs
from kvviz.ui.views.pieces import phase_spans
from kvviz.ui.views.textures import cell_gaps, fill, hatch

GAPS_FROM = 7.0  # px a cell; smaller cells stand edge to edge
HATCH_STEP = 5.0


class GridSquare:
    """Paints a picture up to a row, through a camera.

    A pixel of the picture is never smaller than one of the screen, so no row can vanish.
    """

    def __init__(self, camera: GridCamera, theme: Theme, colors: Colors) -> None:
        self._camera = camera
        self._theme = theme
        self._colors = colors

    def paint(self, painter: QPainter, picture: Picture | None, scene: Scene) -> None:
        """Paint the square as far as the cursor; rows not shaded yet are flat, nothing flickers."""
        camera = self._camera
        painter.save()
        painter.setClipRect(camera.visible)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(camera.visible, self._theme.color("masked"))
        rows = scene.rows
        shaded = min(rows, picture.rows) if picture else 0
        self._paint_not_yet(painter, rows)
        for phase, first, last in _unshaded(scene, shaded):
            painter.setBrush(flat_color(self._theme, scene.selection, phase))
            painter.drawPolygon(stairs(camera, first, last))
        if picture is not None and shaded:
            self._paint_cells(painter, picture, shaded)
        paint_found(painter, camera, self._theme, scene.found_rows)
        gap = self._theme.color("masked" if self._theme.is_dark else "bg1")
        self._paint_gaps(painter, gap)
        painter.restore()

    def _paint_not_yet(self, painter: QPainter, rows: int) -> None:
        camera = self._camera
        shape = stairs(camera, rows, camera.side)
        painter.setBrush(self._theme.color("not_yet"))
        painter.drawPolygon(shape)
        ratio = camera.ratio
        lines = hatch(self._theme.color("muted", 0.16), HATCH_STEP * ratio, ratio)
        fill(painter, shape, lines, camera.origin, ratio)

    def _paint_cells(self, painter: QPainter, picture: Picture, rows: int) -> None:
        camera = self._camera
        level = picture.level_for(1 / (camera.cell * camera.ratio))
        factor = picture.factor(level)
        first_row, last_row = camera.rows
        first_key, last_key = camera.keys
        top, bottom = first_row // factor, -(-min(last_row, rows) // factor)
        left, right = first_key // factor, -(-last_key // factor)
        if top >= bottom or left >= right:
            return
        pixels = picture.lines(level, top, min(bottom * factor, rows))
        image = index_image(pixels[:, left:right], self._colors)
        block = factor * camera.cell
        place = QPointF(camera.x(left * factor), camera.y(top * factor))
        target = QRectF(place.x(), place.y(), (right - left) * block, (bottom - top) * block)
        painter.save()
        # The last pixel row stays whole: a decode row must not be cut away by a fraction.
        last_pixels = camera.y((rows - 1) // factor * factor) * camera.ratio + 1
        end = max(camera.y(rows), ceil(last_pixels) / camera.ratio)
        computed = QRectF(camera.visible)
        computed.setBottom(min(end, computed.bottom()))
        painter.setClipRect(computed, Qt.ClipOperation.IntersectClip)
        painter.drawImage(target, image)
        painter.restore()

    def _paint_gaps(self, painter: QPainter, color: QColor) -> None:
        camera = self._camera
        if camera.cell < GAPS_FROM:
            return
        ratio, size = camera.ratio, camera.cell * camera.ratio
        gap = ratio if camera.cell < 24 else 2 * ratio
        tile = cell_gaps(size, size, gap, min(3 * ratio, size * 0.12), color)
        fill(painter, stairs(camera, 0, camera.side), tile, camera.origin, ratio)


def _unshaded(scene: Scene, shaded: int) -> list[tuple[Phase, int, int]]:
    """Return (phase, first row, row after the last) of computed rows beyond the ``shaded`` ones."""
    if scene.trace is None or shaded >= scene.rows:
        return []
    first_step = int(scene.trace.row_steps()[shaded])
    spans = phase_spans(scene.trace, scene.cursor, first_step)
    return [(phase, max(first, shaded), last) for phase, first, last in spans]
