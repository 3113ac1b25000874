"""The cache's slots, drawn: who wrote each, which are reserved, which moved."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from kvviz.sizing.layout import LayoutKind
from kvviz.trace.step import Phase
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.cache_words import slot_numbers
from kvviz.ui.views.pieces import feeding_step, phase_spans, visible
from kvviz.ui.views.slot_painter import OLDER, SlotPainter
from kvviz.ui.views.slot_rows import SlotRows
from kvviz.ui.views.slots_view import MARGINS, PADDING_TEXT, SlotsView

NO_CACHE = "no cache: keys and values are computed again at each step"
BEFORE = "nothing is kept yet: the prefill writes one slot for each prompt token"


class CacheSlots(SlotsView):
    """Hovering a slot points at its token."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, "Cache slots by layer", parent)
        self._spans: list[tuple[Phase, int, int]] = []
        self.read(Change.ALL)

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
            slots = run.config.max_seq_len if reserves else run.planned_rows + self.padding
        density = ratio or self.devicePixelRatioF()
        size = (float(self.width()), float(self.height() - MARGINS))
        return SlotRows(slots, self._layers, *size, self.look.zoom, density)

    def token_at(self, position: QPointF) -> int | None:
        """Return the token whose slot is under ``position``; None where it is empty."""
        place = self.rows().at(position)
        token = place[0] - self.padding if place else -1
        return token if 0 <= token < self._used() else None

    def read(self, changes: Change) -> None:
        """Take who wrote what up to the cursor."""
        if changes & ~Change.POINTER:
            run = self.store.shown
            kept = run is not None and run.config.layout.keeps_entries
            self._spans = phase_spans(self.store.trace, self.store.cursor) if kept else []
            self.set_extent(run.config.model.shape.num_layers if run else 0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint reserved slots, then written ones, then what is new or pointed at."""
        painter = self.painter()
        if self.kind is None or self.kind is LayoutKind.NONE:
            self._paint_sentence(painter, NO_CACHE if self.kind else "")
            painter.end()
            return
        rows = self.rows(painter.deviceTransform().m11())
        slots = SlotPainter(painter, self.look, rows)
        slots.paint_names()
        held = self._held()
        if self.kind is LayoutKind.PREALLOCATED:
            slots.paint_reserved(held, rows.slots, noted=held > 0)
        self._paint_written(slots)
        self._paint_pointed(slots, rows)
        if not held:
            self._paint_sentence(painter, BEFORE)
        painter.end()

    def explained(self, position: QPointF) -> str:
        """Return what the slot under ``position`` holds, in words; empty outside."""
        place, run = self.rows().at(position), self.store.shown
        if place is None or run is None or not run.config.layout.keeps_entries:
            return ""
        slot, layer, kind = place
        name = f"layer {layer}, {'KV'[kind]}, slot {slot:,}"
        if slot < min(self.padding, self._held()):
            return f"{name}: {PADDING_TEXT}"
        token = self.token_at(position)
        step = None if token is None else feeding_step(run.trace, token)
        if token is None or step is None:
            reserves = run.config.layout.kind is LayoutKind.PREALLOCATED
            return f"{name}: reserved, still empty" if reserves else ""
        numbers = slot_numbers(run.config.model.shape)
        phase = run.trace.steps[step].phase.value
        piece = visible(self.store.tokens[token].piece)
        return f"{name}: {numbers} of “{piece}”, written in {phase} (step {step})"

    def _used(self) -> int:
        return self._spans[-1][2] if self._spans else 0

    def _held(self) -> int:
        """Return the slots that are written, padding with them."""
        used = self._used()
        return self.padding + used if used else 0

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

    def _paint_written(self, slots: SlotPainter) -> None:
        step, begin = self.store.step, self.padding
        for phase, first, last in self._spans:
            slots.fill(begin + first, begin + last, phase.value, OLDER)
        if step is not None:
            slots.paint_padding(0, begin)
            slots.fill(begin + step.first_row, begin + step.seq_len, step.phase.value)
            if step.measured.copied:
                slots.hatch(0, begin + step.first_row, self.look.color("bg0", 0.55))
        slots.paint_gaps(0, self._held())

    def _paint_pointed(self, slots: SlotPainter, rows: SlotRows) -> None:
        step, pointer, begin = self.store.step, self.store.pointer, self.padding
        if step is not None:
            new = rows.columns(begin + step.first_row, begin + step.seq_len)
            slots.outline(new, "cursor", self.look.px(2))
        for token in {pointer.row, pointer.key} - {None}:
            if token is not None and token < self._used():
                slots.outline(rows.columns(begin + token, begin + token + 1), "text", 1.5)
