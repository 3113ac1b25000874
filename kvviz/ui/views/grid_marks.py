"""What lies over the cells: where we are, what is pointed at, which phase a row is of."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from kvviz.session.selection import Pointer
from kvviz.trace.step import Phase
from kvviz.ui.fonts import SEMIBOLD
from kvviz.ui.theme import DARK, ThemeManager
from kvviz.ui.views.color_table import Colors, index_image
from kvviz.ui.views.grid_camera import GridCamera
from kvviz.ui.views.grid_stairs import stairs

MASKED_TEXT = "masked: a token never sees the future"
STRONGEST = "the row's strongest"
BRACKET_GAP = 8  # a lesson's outline passes between
OUTLINE = 2  # px at zoom 1, of the line around the newest rows


class GridMarks:
    """Paints marks through a camera, clipped to its viewport where they belong to cells."""

    def __init__(self, look: ThemeManager, camera: GridCamera) -> None:
        self._look = look
        self._camera = camera

    def paint_newest(self, painter: QPainter, first: int, last: int) -> None:
        """Outline rows ``first``..``last`` (exclusive), those the step at the cursor computed."""
        camera = self._camera
        painter.save()
        self._clip(painter, margin=self._look.px(OUTLINE))
        pen = QPen(self._look.color("cursor"), self._look.px(OUTLINE))
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if last - first == 1:
            painter.drawRoundedRect(self._row_outline(first), 3, 3)
        elif last > first:
            painter.drawPolygon(stairs(camera, first, last))
        painter.restore()

    def paint_pointed(self, painter: QPainter, pointer: Pointer, rows: int) -> None:
        """Light the row and the column of a cell, or those of a token pointed at elsewhere."""
        if pointer.row is None:
            return
        column = pointer.row if pointer.key is None else pointer.key
        painter.save()
        self._clip(painter)
        self._paint_band(painter, self._row_band(pointer.row))
        self._paint_band(painter, self._column_band(column, max(rows, pointer.row + 1)))
        painter.restore()
        if pointer.key is not None:
            self.paint_cell(painter, (pointer.row, pointer.key), width=1)

    def paint_cell(self, painter: QPainter, cell: tuple[int, int], width: float = 2) -> None:
        """Outline one cell in light and dark, so that it stands out on any colour."""
        rect = self._camera.cell_rect(*cell)
        spare = max(0.0, self._look.px(5) - rect.width()) / 2
        rect.adjust(-spare, -spare, spare, spare)
        painter.save()
        self._clip(painter, margin=self._look.px(2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner, outer = QColor("#FFFFFF"), QColor("#06080A")
        for color, grown, pen_width in ((outer, width, width + 1), (inner, width / 2, width)):
            painter.setPen(QPen(color, pen_width))
            painter.drawRoundedRect(rect.adjusted(-grown, -grown, grown, grown), 2.5, 2.5)
        painter.restore()

    def paint_phases(self, painter: QPainter, spans: Sequence[tuple[Phase, int, int]]) -> None:
        """Draw a bracket for each phase's rows beside the square."""
        camera, px = self._camera, self._look.px
        x = camera.visible.right() + px(BRACKET_GAP)
        font = self._look.font(11, SEMIBOLD)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        next_free = camera.viewport.top()
        for phase, first, last in spans:
            top = max(camera.y(first), camera.viewport.top())
            bottom = min(camera.y(last), camera.viewport.bottom())
            if bottom <= top:
                continue
            color = self._look.color(phase.value)
            gap = 1.0 if bottom - top > 4 else 0.0
            painter.fillRect(QRectF(x, top, px(2), max(1.0, bottom - top - gap)), color)
            middle = max((top + bottom) / 2, next_free + metrics.height() / 2)
            if middle + metrics.height() / 2 <= camera.viewport.bottom() + px(8):
                painter.setPen(color)
                box = QRectF(x + px(6), middle - px(8), px(60), px(16))
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, phase.value)
                next_free = middle + metrics.height() / 2

    def masked_note(self) -> QRectF | None:
        """Return where the black says what it is; None where it has no room to."""
        width = QFontMetricsF(self._look.font(11)).horizontalAdvance(MASKED_TEXT)
        return self._room_in_black(0, width)

    def paint_notes(self, painter: QPainter, scale: Colors | None) -> None:
        """Say in the black what it is, and what the colours ``scale`` stand for, if there is room.

        Masked is dark in both themes, and so the words are light in both.
        """
        painter.setFont(self._look.font(11))
        painter.setPen(QColor(DARK.muted))
        if (place := self.masked_note()) is not None:
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, MASKED_TEXT)
        if scale is not None:
            self._paint_scale(painter, scale)

    def _paint_scale(self, painter: QPainter, scale: Colors) -> None:
        px = self._look.px
        metrics = QFontMetricsF(painter.font())
        words, bar = metrics.horizontalAdvance(STRONGEST), px(72)
        zero = metrics.horizontalAdvance("0") + px(6)
        place = self._room_in_black(1, zero + bar + px(6) + words)
        if place is None:
            return
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, "0")
        left = place.left() + zero
        box = QRectF(left, place.center().y() - px(3), bar, px(6))
        colors = np.arange(1, len(scale), dtype=np.uint8)[None, :]
        painter.drawImage(box, index_image(colors, scale))
        end = QRectF(box.right() + px(6), place.top(), words + px(4), place.height())
        painter.drawText(end, Qt.AlignmentFlag.AlignVCenter, STRONGEST)

    def _room_in_black(self, line: int, width: float) -> QRectF | None:
        camera, px = self._camera, self._look.px
        top = camera.visible.top() + px(5) + line * px(18)
        left = camera.visible.right() - px(8) - width
        row = (top + px(18) - camera.origin.y()) / camera.cell
        if camera.x(0) + (row + 1) * camera.cell + px(12) > left:
            return None
        return QRectF(left, top, width + px(4), px(18))

    def _row_outline(self, row: int) -> QRectF:
        camera = self._camera
        box = QRectF(camera.x(0), camera.y(row), (row + 1) * camera.cell, camera.cell)
        # A row thinner than the outline would be all outline: keep what is inside in sight.
        spare = max(0.0, self._look.px(3) - box.height()) / 2
        box.adjust(0, -spare, 0, spare)
        top, ratio = round(box.top() * camera.ratio), camera.ratio
        height = round(box.height() * camera.ratio)
        out = self._look.px(OUTLINE) / 2  # the line lies beside the row, at any zoom
        whole = QRectF(box.left(), top / ratio, box.width(), height / ratio)
        return whole.adjusted(-out, -out, out, out)

    def _row_band(self, row: int) -> QRectF:
        camera = self._camera
        return QRectF(camera.x(0), camera.y(row), (row + 1) * camera.cell, camera.cell)

    def _column_band(self, key: int, rows: int) -> QRectF:
        camera = self._camera
        height = max(1, rows - key) * camera.cell
        return QRectF(camera.x(key), camera.y(key), camera.cell, height)

    def _paint_band(self, painter: QPainter, band: QRectF) -> None:
        camera = self._camera
        spare = max(0.0, 3 - camera.cell) / 2
        band = band.adjusted(-spare, -spare, spare, spare)
        band = band.intersected(camera.viewport.adjusted(-4, -4, 4, 4))
        light = QColor(255, 255, 255) if self._look.theme.is_dark else QColor(6, 8, 10)
        pen = QPen(light, 1)
        painter.setPen(pen)
        light.setAlphaF(0.10)
        painter.setBrush(light)
        painter.drawRect(band.adjusted(0.5, 0.5, -0.5, -0.5))

    def _clip(self, painter: QPainter, margin: float = 0.0) -> None:
        painter.setClipRect(self._camera.visible.adjusted(-margin, -margin, margin, margin))
