"""The cache's slots, drawn: who wrote each, which are reserved, which moved."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from kvviz.session.selection import Pointer
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.step import Phase
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.color_table import mixed
from kvviz.ui.views.pieces import feeding_step, phase_spans, visible
from kvviz.ui.views.slot_rows import SlotRows
from kvviz.ui.views.textures import boxes, cell_gaps, fill_rect, hatch
from kvviz.ui.views.view import View

OLDER = 0.82  # how much of its hue a slot keeps that was written before this step
EMPTY_TEXT = "reserved, still empty"
NO_CACHE = "no cache: keys and values are computed again at each step"
BEFORE = "nothing is kept yet: the prefill writes one slot for each prompt token"


class CacheSlots(View):
    """Hovering a slot points at its token."""

    concerns = Change.RUNS | Change.STEPS | Change.CURSOR | Change.POINTER

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, parent)
        self._spans: list[tuple[Phase, int, int]] = []
        self._layers = 0
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName("Cache slots by layer")
        self.read(Change.ALL)

    def sizeHint(self) -> QSize:
        """Return room for every layer's two rows."""
        height = SlotRows.height_for(max(1, self._layers), self.look.zoom)
        return QSize(self.look.px(560), height)

    def minimumSizeHint(self) -> QSize:
        """Return the least at which every row is still in sight."""
        least = SlotRows(1, max(1, self._layers), 100, 0, self.look.zoom, 1)
        return QSize(self.look.px(200), int(least.body.height()) + 6)

    @property
    def kind(self) -> LayoutKind | None:
        """How the shown run keeps its cache; None without a run."""
        run = self.store.shown
        return run.config.layout.kind if run else None

    def rows(self, ratio: float | None = None) -> SlotRows:
        """Return where everything stands."""
        run = self.store.shown
        slots = 0
        if run is not None:
            reserves = run.config.layout.kind is LayoutKind.PREALLOCATED
            slots = run.config.max_seq_len if reserves else run.planned_rows
        density = ratio or self.devicePixelRatioF()
        size = (float(self.width()), float(self.height() - 6))
        return SlotRows(slots, self._layers, *size, self.look.zoom, density)

    def token_at(self, position: QPointF) -> int | None:
        """Return the token whose slot is under ``position``; None where it is empty."""
        place = self.rows().at(position)
        return place[0] if place and place[0] < self._used() else None

    def read(self, changes: Change) -> None:
        """Take who wrote what up to the cursor."""
        if changes & ~Change.POINTER:
            run = self.store.shown
            kept = run is not None and run.config.layout.keeps_entries
            self._spans = phase_spans(self.store.trace, self.store.cursor) if kept else []
            layers = run.config.model.shape.num_layers if run else 0
            if layers != self._layers:
                self._layers = layers
                self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint reserved slots, then written ones, then what is new or pointed at."""
        painter = self.painter()
        if self.kind is None or self.kind is LayoutKind.NONE:
            self._paint_sentence(painter, NO_CACHE if self.kind else "")
            painter.end()
            return
        rows = self.rows(painter.deviceTransform().m11())
        self._paint_names(painter, rows)
        self._paint_reserved(painter, rows)
        self._paint_written(painter, rows)
        self._paint_new(painter, rows)
        self._paint_pointed(painter, rows)
        if not self._used():
            self._paint_sentence(painter, BEFORE)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at the token whose slot this is."""
        self.store.point(Pointer(self.token_at(event.position())))

    def event(self, event: QEvent) -> bool:
        """Say what the slot under the mouse holds."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.explained(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def explained(self, position: QPointF) -> str:
        """Return what the slot under ``position`` holds, in words; empty outside."""
        place, run = self.rows().at(position), self.store.shown
        if place is None or run is None or not run.config.layout.keeps_entries:
            return ""
        slot, layer, kind = place
        name = f"layer {layer}, {'KV'[kind]}, slot {slot:,}"
        token = self.token_at(position)
        step = feeding_step(run.trace, slot)
        if token is None or step is None:
            reserves = run.config.layout.kind is LayoutKind.PREALLOCATED
            return f"{name}: reserved, still empty" if reserves else ""
        values = run.config.model.shape.num_kv_heads * run.config.model.shape.head_dim
        phase = run.trace.steps[step].phase.value
        piece = visible(self.store.tokens[slot].piece)
        return f"{name}: {values:,} values of “{piece}”, written in {phase} (step {step})"

    def _used(self) -> int:
        return self._spans[-1][2] if self._spans else 0

    def _paint_sentence(self, painter: QPainter, text: str) -> None:
        painter.setFont(self.look.font(13))
        painter.setPen(self.look.color("secondary"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        inset = 0 if self.kind is LayoutKind.NONE else int(self.rows().left) + self.look.px(12)
        room = self.rect().adjusted(inset, 0, 0, 0)
        metrics = QFontMetricsF(painter.font())
        if inset and text:
            width = metrics.horizontalAdvance(text) + self.look.px(12)
            middle = room.center().y()
            patch = QRectF(
                inset - self.look.px(6), middle - self.look.px(11), width, self.look.px(22)
            )
            painter.fillRect(patch, self.look.color("bg0"))
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, flags, shown)

    def _paint_names(self, painter: QPainter, rows: SlotRows) -> None:
        painter.setFont(self.look.font(11))
        px = self.look.px
        for layer in range(0, rows.layers, rows.label_stride):
            painter.setPen(self.look.color("secondary"))
            middle = rows.y(layer, 0) + rows.row + 0.5
            if rows.label_stride > 1:
                middle = rows.y(layer, 0) + px(5)
            box = QRectF(0, middle - px(8), px(20), px(16))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, f"L{layer}")
            if rows.row < px(10):
                continue
            painter.setPen(self.look.color("muted"))
            for kind, letter in enumerate("KV"):
                place = QRectF(px(20), rows.y(layer, kind) - px(4), px(10), rows.row + px(8))
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, letter)

    def _paint_reserved(self, painter: QPainter, rows: SlotRows) -> None:
        used = self._used()
        if self.kind is not LayoutKind.PREALLOCATED or used >= rows.slots:
            return
        ratio = rows.ratio
        if rows.apart:
            line = self.look.color("line")
            tile = boxes(rows.slot * ratio, rows.row * ratio, line, ratio)
        else:
            tile = hatch(self.look.color("muted", 0.35), 4 * ratio, ratio)
        for layer in range(rows.layers):
            for kind in (0, 1):
                fill_rect(painter, rows.span(used, rows.slots, layer, kind), tile, ratio)
        self._paint_empty_note(painter, rows, used)

    def _paint_empty_note(self, painter: QPainter, rows: SlotRows, used: int) -> None:
        painter.setFont(self.look.font(11))
        metrics = QFontMetricsF(painter.font())
        px = self.look.px
        empty = rows.columns(used, rows.slots)
        width = metrics.horizontalAdvance(EMPTY_TEXT) + px(16)
        if not used or width + px(16) > empty.width():
            return
        patch = QRectF(empty.left() + px(16), empty.center().y() - px(9), width, px(18))
        painter.fillRect(patch, self.look.color("bg0"))
        painter.setPen(self.look.color("secondary"))
        painter.drawText(patch, Qt.AlignmentFlag.AlignCenter, EMPTY_TEXT)

    def _paint_written(self, painter: QPainter, rows: SlotRows) -> None:
        for phase, first, last in self._spans:
            color = mixed(self.look.color("bg0"), self.look.color(phase.value), OLDER)
            for layer in range(rows.layers):
                for kind in (0, 1):
                    painter.fillRect(rows.span(first, last, layer, kind), color)
        self._paint_fresh(painter, rows)
        self._paint_moved(painter, rows)
        if rows.apart:
            ratio = rows.ratio
            used = rows.columns(0, self._used())
            ground = self.look.color("bg0")
            tall = (used.height() + 4) * ratio
            tile = cell_gaps(rows.slot * ratio, tall, ratio, 0, ground)
            fill_rect(painter, used, tile, ratio)

    def _paint_fresh(self, painter: QPainter, rows: SlotRows) -> None:
        if (step := self.store.step) is None:
            return
        for layer in range(rows.layers):
            for kind in (0, 1):
                area = rows.span(step.first_row, step.seq_len, layer, kind)
                painter.fillRect(area, self.look.color(step.phase.value))

    def _paint_moved(self, painter: QPainter, rows: SlotRows) -> None:
        step = self.store.step
        if step is None or not step.measured.copied:
            return
        ratio = rows.ratio
        tile = hatch(self.look.color("bg0", 0.55), 4 * ratio, ratio)
        for layer in range(rows.layers):
            for kind in (0, 1):
                fill_rect(painter, rows.span(0, step.first_row, layer, kind), tile, ratio)

    def _paint_new(self, painter: QPainter, rows: SlotRows) -> None:
        step = self.store.step
        if step is not None:
            area = rows.columns(step.first_row, step.seq_len)
            self._paint_outline(painter, area, "cursor", self.look.px(2))

    def _paint_pointed(self, painter: QPainter, rows: SlotRows) -> None:
        pointer = self.store.pointer
        for token in {pointer.row, pointer.key} - {None}:
            if token is not None and token < self._used():
                self._paint_outline(painter, rows.columns(token, token + 1), "text", 1.5)

    def _paint_outline(self, painter: QPainter, area: QRectF, tone: str, width: float) -> None:
        spare = max(0.0, 4 - area.width()) / 2
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.look.color(tone), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # The gap after the last slot is not part of it.
        painter.drawRoundedRect(area.adjusted(-1 - spare, -1.5, spare, 1.5), 2.5, 2.5)
        painter.restore()
