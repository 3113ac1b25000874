"""Block tables, drawn: a box for each logical block, and its wire to the block in the pool."""

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF

from kvviz.session.pool_picture import Place, PoolPicture
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.block_painter import phase_color
from kvviz.ui.views.pool_layout import PoolLayout
from kvviz.ui.views.table_layout import TableLayout
from kvviz.ui.views.textures import cell_gaps, fill_rect

PHASE_BAR = 3  # px at the bottom of a box that say who wrote the block
FAINT = 0.55
GAPS_FROM = 4.0  # device px a box; smaller ones stand edge to edge


class TablePainter:
    """Paints every table of a picture."""

    def __init__(
        self,
        painter: QPainter,
        look: ThemeManager,
        tables: TableLayout,
        pool: PoolLayout,
        picture: PoolPicture,
    ) -> None:
        self._painter = painter
        self._look = look
        self._tables = tables
        self._pool = pool
        self._picture = picture

    def paint_names(self) -> None:
        """Say which line is whose table, and which is the pool."""
        tables, pool, px = self._tables, self._pool, self._look.px
        several = len(tables.counts) > 1
        if tables.in_line or not several:
            self._name("tables" if several else "table", 0, self._middle(0))
        for row in range(0, len(tables.counts) if several else 0, tables.name_stride):
            name = self._picture.names[row]
            left = tables.starts[row].x() - tables.name
            # The gutter is too narrow for the word and two digits.
            self._name(f"seq {name}" if name < 10 else str(name), left, self._middle(row))
        first = pool.slots(pool.in_sight.start)
        middle = first.center().y() if pool.head else pool.area.top() + px(6)
        self._name("pool", 0, middle)

    def paint_boxes(self) -> None:
        """Paint a box for each logical block, with the number of the physical one if it fits."""
        if not self._tables.numbered:
            self._paint_bare()
            return
        for place, number in self._entries():
            self._paint_box(place, number)
            if number in self._picture.fresh:
                self.outline(place, "cursor")

    def paint_wires(self) -> None:
        """Lead every box to its block."""
        for place, _ in self._entries():
            self.paint_wire(place, lit=False)

    def paint_wire(self, place: Place, *, lit: bool) -> None:
        """Lead one box to its block, if that is in sight."""
        number = self._picture.map.tables[place.row][place.logical]
        if number not in self._pool.in_sight:
            return
        box, whole = self._tables.rect(place), self._pool.whole(number)
        begin = QPointF(box.center().x() - 0.5, box.bottom() + 1)
        end = QPointF(whole.left() + min(whole.width() / 2, self._look.px(10)), whole.top() - 1)
        bend = max(6.0, (end.y() - begin.y()) * 0.55)
        path = QPainterPath(begin)
        path.cubicTo(begin + QPointF(0, bend), end - QPointF(0, bend), end)
        painter = self._painter
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = self._look.color("text") if lit else self._look.color("muted", FAINT)
        painter.setPen(QPen(color, 1.5 if lit else 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        tip, wide = self._look.px(4), self._look.px(2.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        left, right = end + QPointF(-wide, -tip), end + QPointF(wide, -tip)
        painter.drawPolygon(QPolygonF([end, left, right]))
        painter.restore()

    def outline(self, place: Place, tone: str) -> None:
        """Outline a box in a colour of the palette."""
        painter = self._painter
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._look.color(tone), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(self._inner(place).adjusted(-0.5, -0.5, 0.5, 0.5), 2, 2)
        painter.restore()

    def _entries(self) -> Iterator[tuple[Place, int]]:
        for row, table in enumerate(self._picture.map.tables):
            for logical, number in enumerate(table):
                yield Place(row, logical), number

    def _inner(self, place: Place) -> QRectF:
        box = self._tables.rect(place)
        return box.adjusted(0, 0, -2, 0) if self._tables.numbered else box

    def _paint_bare(self) -> None:
        """Paint who wrote each table's tokens, and the gaps between its blocks."""
        painter, look, tables = self._painter, self._look, self._tables
        ratio, share = self._pool.ratio, tables.box / self._picture.size
        for start, table, parts in zip(
            tables.starts, self._picture.map.tables, self._picture.parts, strict=True
        ):
            row = QRectF(start.x(), start.y(), len(table) * tables.box, tables.height)
            painter.fillRect(row, look.color("bg3"))
            for part in parts:
                left, right = (start.x() + token * share for token in (part.first, part.last))
                piece = QRectF(left, start.y(), right - left, tables.height)
                painter.fillRect(piece, phase_color(look, part.phase))
            if tables.box * ratio >= GAPS_FROM:
                size = tables.box * ratio, (tables.height + 4) * ratio
                fill_rect(painter, row, cell_gaps(*size, ratio, 0, look.color("bg0")), ratio)

    def _paint_box(self, place: Place, number: int) -> None:
        painter, look = self._painter, self._look
        inner = self._inner(place)
        painter.fillRect(inner, look.color("bg3"))
        bar = QRectF(inner)
        bar.setTop(inner.bottom() - look.px(PHASE_BAR))
        share = inner.width() / self._picture.size
        for part in self._picture.block(number).parts:
            bar.setLeft(inner.left() + part.first * share)
            bar.setRight(inner.left() + part.last * share)
            painter.fillRect(bar, phase_color(look, part.phase))
        painter.setFont(look.font(11))
        painter.setPen(look.color("text"))
        text = inner.adjusted(0, 0, 0, -look.px(PHASE_BAR - 1))
        painter.drawText(text, Qt.AlignmentFlag.AlignCenter, str(number))

    def _middle(self, row: int) -> float:
        return self._tables.starts[row].y() + self._tables.height / 2

    def _name(self, text: str, left: float, middle: float) -> None:
        px = self._look.px
        self._painter.setFont(self._look.font(11))
        self._painter.setPen(self._look.color("secondary"))
        box = QRectF(left, middle - px(8), px(60), px(16))
        self._painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
