"""A paged cache, drawn: block tables, the wires to the pool's blocks, and what each holds."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.session.pool_picture import PoolPicture
from kvviz.session.selection import Pointer
from kvviz.sizing.layout import LayoutKind
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.block_painter import BlockPainter
from kvviz.ui.views.block_words import row_sentence, slot_sentence
from kvviz.ui.views.explained_view import ExplainedView
from kvviz.ui.views.pool_desk import PoolDesk
from kvviz.ui.views.pool_layout import PoolLayout, pool_layout
from kvviz.ui.views.table_layout import TableLayout, table_layout
from kvviz.ui.views.table_painter import TablePainter

GUTTER, TOP, BOTTOM = 34, 3, 3  # px at zoom 1
WIRES, NO_WIRES = 20, 8  # px between tables and pool
POOL, LEAST_POOL = 100, 24  # px that the pool likes to have, and the least
MOST_WIRES = 32  # more would be a tangle: then only those pointed at are drawn
NOMINAL = 700  # px of width that a height is asked for


@dataclass(frozen=True, slots=True)
class Places:
    """Where tables and pool stand."""

    tables: TableLayout
    pool: PoolLayout


class BlockPoolView(ExplainedView):
    """Hovering a slot points at its token; a block or a box lights its wires."""

    concerns = Change.RUNS | Change.STEPS | Change.CURSOR | Change.POINTER

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, parent)
        self.picture: PoolPicture | None = None
        self._desk = PoolDesk()
        self._hovered: frozenset[int] = frozenset()
        self._scrolled = 0
        self._counts: tuple[int, ...] = ()  # blocks of each sequence at the planned end
        self._shape: tuple[int, ...] = ()
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName("Blocks of the paged cache")
        self.read(Change.ALL)

    def sizeHint(self) -> QSize:
        """Return the height in which all that is there reads well."""
        return QSize(self.look.px(560), self._height_for(POOL))

    def minimumSizeHint(self) -> QSize:
        """Return the least at which tables and some of the pool are in sight."""
        return QSize(self.look.px(200), self._height_for(LEAST_POOL))

    def places(self, ratio: float | None = None) -> Places | None:
        """Return where everything stands; None without a paged run."""
        if self.picture is None:
            return None
        px = self.look.px
        origin = QPointF(px(GUTTER), px(TOP))
        width = max(1.0, self.width() - px(GUTTER) - 3.0)
        tables = self._tables(origin, width)
        top = tables.bottom + px(self._wire_room())
        area = QRectF(origin.x(), top, width, max(1.0, self.height() - px(BOTTOM) - top))
        density = ratio or self.devicePixelRatioF()
        pool = pool_layout(
            self._desk.num_shown, self.picture.size, area, self.look.zoom, density, self._scrolled
        )
        return Places(tables, pool)

    def read(self, changes: Change) -> None:
        """Take the pool as it is at the cursor."""
        run = self.store.shown
        if run is None or run.config.layout.kind is not LayoutKind.PAGED:
            self.picture, self._hovered = None, frozenset()
            self._desk = PoolDesk()  # a run that is gone must not be kept by it
            return
        if changes & ~Change.POINTER:
            self.picture = self._desk.at(run, self.store.cursor)
            self._counts = self._desk.planned(run, self.picture)
            self._follow()
            shape = (self._desk.num_shown, self.picture.size, *self._counts)
            if shape != self._shape:
                self._shape = shape
                self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the wires, the pool over them, the tables, and what is pointed at."""
        painter = self.painter()
        places = self.places(painter.deviceTransform().m11())
        if places is None or self.picture is None:
            painter.end()
            return
        blocks = BlockPainter(painter, self.look, places.pool, self.picture)
        tables = TablePainter(painter, self.look, places.tables, places.pool, self.picture)
        tables.paint_names()
        if self._all_wires():
            tables.paint_wires()
        blocks.paint()
        tables.paint_boxes()
        self._paint_lit(blocks, tables, places, self.picture)
        self._paint_scroll(painter, places.pool)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for another height where the width is another; keep in sight what is written."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
        self._follow()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light the block under the mouse and point at the slot's token."""
        position = event.position()
        hovered = self.blocks_at(position)
        if hovered != self._hovered:
            self._hovered = hovered
            self.update()
        self.store.point(Pointer(self.token_at(position)))

    def leaveEvent(self, event: QEvent) -> None:
        """Light nothing when the mouse is gone."""
        self._hovered = frozenset()
        self.update()
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the pool where it has more rows than there is room for."""
        places = self.places()
        if places is None or not places.pool.most_scrolled:
            event.ignore()
            return
        down = 1 if event.angleDelta().y() < 0 else -1
        self._scrolled = max(0, min(places.pool.scrolled + down, places.pool.most_scrolled))
        self.update()
        event.accept()

    def block_at(self, position: QPointF) -> int | None:
        """Return the block under ``position``, or the one that the table's box there names."""
        places, picture = self.places(), self.picture
        if places is None or picture is None:
            return None
        box = places.tables.at(position)
        if box is not None and box.logical < len(picture.map.tables[box.row]):
            return picture.map.tables[box.row][box.logical]
        found = places.pool.at(position)
        return found[0] if found else None

    def blocks_at(self, position: QPointF) -> frozenset[int]:
        """Return the block under ``position``, or all of the sequence whose name is there."""
        number, row = self.block_at(position), self.row_at(position)
        if row is not None and self.picture is not None:
            return frozenset(self.picture.map.tables[row])
        return frozenset() if number is None else frozenset([number])

    def row_at(self, position: QPointF) -> int | None:
        """Return the sequence whose name is under ``position``."""
        places = self.places()
        return places.tables.row_at(position) if places else None

    def token_at(self, position: QPointF) -> int | None:
        """Return the token of the grid whose slot is under ``position``; None elsewhere."""
        places = self.places()
        found = places.pool.at(position) if places else None
        if found is None or found[1] is None or self.picture is None:
            return None
        held = self.picture.token_at(found[0], found[1])
        # Copies of one prompt hold the grid's tokens too; prompts of their own do not.
        return held[1] if held and (held[0] == 0 or self.picture.copies) else None

    def explained(self, position: QPointF) -> str:
        """Return what is under ``position`` in one sentence; empty where there is nothing."""
        places, run = self.places(), self.store.shown
        if places is None or run is None or self.picture is None:
            return ""
        number, row = self.block_at(position), self.row_at(position)
        if row is not None:
            return row_sentence(self.picture, row)
        if number is None:
            return ""
        found = places.pool.at(position)
        offset = found[1] if found and found[0] == number else None
        return slot_sentence(self.picture, run.trace, self.store.tokens, number, offset)

    def _tables(self, origin: QPointF, width: float) -> TableLayout:
        return table_layout(
            self._counts, max(0, self._desk.num_shown - 1), origin, width, self.look.zoom
        )

    def _all_wires(self) -> bool:
        return sum(self._counts) <= MOST_WIRES

    def _wire_room(self) -> int:
        return WIRES if self._all_wires() else NO_WIRES

    def _height_for(self, room: int) -> int:
        px = self.look.px
        if self.picture is None:
            return px(room)
        shown = self.testAttribute(Qt.WidgetAttribute.WA_WState_Created)
        width = float(self.width() - px(GUTTER) - 3 if shown else px(NOMINAL))
        tables = self._tables(QPointF(0, px(TOP)), width)
        area = QRectF(0, 0, width, px(room))
        pool = pool_layout(self._desk.num_shown, self.picture.size, area, self.look.zoom, 1.0)
        below = min(pool.height, area.height())
        return round(tables.bottom + px(self._wire_room()) + below + px(BOTTOM))

    def _follow(self) -> None:
        """Keep in sight what the step wrote."""
        places, picture = self.places(), self.picture
        if places is None or picture is None or not places.pool.most_scrolled:
            return
        written = picture.slot_of(picture.map.lengths[0] - 1)
        if written is not None and written[0] not in places.pool.in_sight:
            row = places.pool.row_of(written[0])
            self._scrolled = max(0, row - places.pool.rows_in_sight + 1)

    def _lit(self) -> dict[int, set[int]]:
        """Return the blocks that are pointed at here or elsewhere, with the slots of tokens."""
        picture, pointer = self.picture, self.store.pointer
        lit: dict[int, set[int]] = {}
        if picture is None:
            return lit
        for number in self._hovered:
            if picture.block(number).places:
                lit[number] = set()
        rows = range(len(picture.names) if picture.copies else 1)
        for token in {pointer.row, pointer.key} - {None}:
            for row in rows:
                slot = picture.slot_of(token, row) if token is not None else None
                if slot is not None:
                    lit.setdefault(slot[0], set()).add(slot[1])
        return lit

    def _paint_lit(
        self, blocks: BlockPainter, tables: TablePainter, places: Places, picture: PoolPicture
    ) -> None:
        lit = self._lit()
        for number, slots in lit.items():
            for place in picture.block(number).places if len(lit) <= MOST_WIRES else ():
                tables.paint_wire(place, lit=True)
                tables.outline(place, "text")
            if number not in places.pool.in_sight:
                continue
            for slot in slots:
                blocks.outline(places.pool.slots(number, slot, slot + 1), "text", 1.5)
            if not slots:
                blocks.outline(places.pool.slots(number), "text", 1.5)

    def _paint_scroll(self, painter: QPainter, pool: PoolLayout) -> None:
        if not pool.most_scrolled:
            return
        px, area = self.look.px, pool.area
        share = pool.rows_in_sight / pool.rows
        top = area.top() + area.height() * pool.scrolled / pool.rows
        bar = QRectF(self.width() - px(3), top, px(3), max(px(8), area.height() * share))
        painter.fillRect(bar, self.look.color("muted", 0.6))
