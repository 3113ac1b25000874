"""Slots by layer, drawn: names, hues, patterns and outlines."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPixmap

from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.color_table import mixed
from kvviz.ui.views.slot_rows import SlotRows
from kvviz.ui.views.textures import boxes, cell_gaps, fill_rect, hatch

OLDER = 0.82  # how much of its hue a slot keeps that was written before this step
EMPTY_TEXT = "reserved, still empty"


class SlotPainter:
    """Paints on the slots of every layer, K and V alike."""

    def __init__(self, painter: QPainter, look: ThemeManager, rows: SlotRows) -> None:
        self._painter = painter
        self._look = look
        self._rows = rows

    def paint_names(self) -> None:
        """Write the layers' names, and K and V of each; of the first alone where rows are low."""
        painter, rows, px = self._painter, self._rows, self._look.px
        painter.setFont(self._look.font(11))
        for layer in range(0, rows.layers, rows.label_stride):
            painter.setPen(self._look.color("secondary"))
            middle = rows.y(layer, 0) + rows.row + 0.5
            if rows.label_stride > 1:
                middle = rows.y(layer, 0) + px(5)
            box = QRectF(0, middle - px(8), px(20), px(16))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, f"L{layer}")
            low = rows.row < px(10)  # there V stands beside K more than below it, and only once
            if low and (layer or rows.label_stride > 1):
                continue
            painter.setPen(self._look.color("muted"))
            for kind, letter in enumerate("KV"):
                left = px(14 + 7 * kind) if low else px(20)
                place = QRectF(left, rows.y(layer, kind) - px(4), px(10), rows.row + px(8))
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, letter)

    def paint_reserved(self, first: int, last: int, *, noted: bool = True) -> None:
        """Draw empty slots ``first``..``last`` as such, and say it once where there is room."""
        if first >= last:
            return
        rows, ratio = self._rows, self._rows.ratio
        if rows.apart:
            line = self._look.color("line")
            tile = boxes(rows.slot * ratio, rows.row * ratio, line, ratio)
        else:
            tile = hatch(self._look.color("muted", 0.35), 4 * ratio, ratio)
        self.fill_tile(first, last, tile)
        if noted:
            self._paint_note(rows.columns(first, last))

    def paint_padding(self, first: int, last: int) -> None:
        """Draw slots ``first``..``last`` as written with what no token sees."""
        self.hatch(first, last, self._look.color("muted", 0.8))

    def fill(self, first: int, last: int, tone: str, share: float = 1.0) -> None:
        """Fill slots with ``share`` of a palette's colour on the ground."""
        color = mixed(self._look.color("bg0"), self._look.color(tone), share)
        for area in self._areas(first, last):
            self._painter.fillRect(area, color)

    def fill_tile(self, first: int, last: int, tile: QPixmap) -> None:
        """Fill slots with a pattern."""
        for area in self._areas(first, last):
            fill_rect(self._painter, area, tile, self._rows.ratio)

    def hatch(self, first: int, last: int, color: QColor) -> None:
        """Hatch slots."""
        ratio = self._rows.ratio
        self.fill_tile(first, last, hatch(color, 4 * ratio, ratio))

    def paint_gaps(self, first: int, last: int) -> None:
        """Part slots from one another where they have room for it."""
        rows, ratio = self._rows, self._rows.ratio
        if not rows.apart or first >= last:
            return
        used = rows.columns(first, last)
        tall = (used.height() + 4) * ratio
        ground = self._look.color("bg0")
        fill_rect(self._painter, used, cell_gaps(rows.slot * ratio, tall, ratio, 0, ground), ratio)

    def outline(self, area: QRectF, tone: str, width: float) -> None:
        """Outline slots of all layers in a colour of the palette."""
        spare = max(0.0, 4 - area.width()) / 2
        painter = self._painter
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._look.color(tone), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # The gap after the last slot is not part of it.
        painter.drawRoundedRect(area.adjusted(-1 - spare, -1.5, spare, 1.5), 2.5, 2.5)
        painter.restore()

    def write(self, text: str, area: QRectF, tone: str = "secondary") -> None:
        """Write small words in the middle of ``area``, elided where they have no room."""
        font = self._look.font(11)
        shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        self._painter.setFont(font)
        self._painter.setPen(self._look.color(tone))
        self._painter.drawText(area, Qt.AlignmentFlag.AlignCenter, shown)

    def _areas(self, first: int, last: int) -> list[QRectF]:
        rows = self._rows
        if first >= last:
            return []
        return [rows.span(first, last, layer, k) for layer in range(rows.layers) for k in (0, 1)]

    def _paint_note(self, empty: QRectF) -> None:
        px, painter = self._look.px, self._painter
        width = QFontMetricsF(self._look.font(11)).horizontalAdvance(EMPTY_TEXT) + px(16)
        if width + px(16) > empty.width():
            return
        patch = QRectF(empty.left() + px(16), empty.center().y() - px(9), width, px(18))
        painter.fillRect(patch, self._look.color("bg0"))
        self.write(EMPTY_TEXT, patch)
