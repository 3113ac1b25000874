"""A sliding cache, drawn: everything seen, and the ring of slots that holds the newest of it."""

from itertools import groupby

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.ring import EMPTY, ring_positions, ring_slot
from kvviz.trace.step import Phase
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.color_table import mixed
from kvviz.ui.views.pieces import phase_spans, visible
from kvviz.ui.views.ring_words import seen_sentence, slot_sentence
from kvviz.ui.views.slot_painter import OLDER, SlotPainter
from kvviz.ui.views.slot_rows import SlotRows
from kvviz.ui.views.slots_view import MARGINS, SlotsView
from kvviz.ui.views.tape import Tape

FALLEN = 0.2  # how much of its hue a token keeps that fell out
WIDEST = 38.0  # px a slot: a ring has few, and their tokens are written above them
LABELS = 16  # px for them
PIECE_FROM, NUMBER_FROM = 28.0, 13.0  # px a slot for a token's text, and for its number
NARROWEST = 75  # percent of their usual width that letters of a long token may have


class RingSlots(SlotsView):
    """Hovering a slot or a token seen points at it."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, "Ring of the sliding cache", parent)
        self.layout_ = CacheLayout(LayoutKind.SLIDING)
        self.positions: list[int] = []
        self.new = range(0)  # the tokens that the step added
        self._spans: list[tuple[Phase, int, int]] = []
        self._pieces: list[str] = []
        self.read(Change.ALL)

    @property
    def seen(self) -> int:
        """Tokens seen at the cursor."""
        return self.new.stop

    def rows(self, ratio: float | None = None) -> SlotRows:
        """Return where the ring's slots stand, the sinks apart."""
        return SlotRows(
            self._slots,
            self._layers,
            float(self.width()),
            float(self.height() - MARGINS),
            self.look.zoom,
            ratio or self.devicePixelRatioF(),
            widest=WIDEST,
            seam=self.layout_.sinks,
            top=3.0 + self._beside,
        )

    def tape(self, ratio: float | None = None) -> Tape:
        """Return where the tokens seen stand."""
        density = ratio or self.devicePixelRatioF()
        return Tape(self.store.planned_rows, float(self.width()), self.look.zoom, density)

    def slot_of(self, token: int) -> int | None:
        """Return the slot that holds a token; None where it fell out or is not seen yet."""
        slot = ring_slot(self.layout_, token)
        held = slot < len(self.positions) and self.positions[slot] == token
        return slot if held else None

    def token_at(self, position: QPointF) -> int | None:
        """Return the token seen, or the one in the slot, under ``position``."""
        token = self.tape().at(position)
        if token is not None:
            return token if token < self.seen else None
        place = self.rows().at(position)
        held = self.positions[place[0]] if place else EMPTY
        return held if held != EMPTY else None

    def read(self, changes: Change) -> None:
        """Take which token is in which slot at the cursor."""
        run = self.store.shown
        if run is None or run.config.layout.kind is not LayoutKind.SLIDING:
            self._slots, self.positions, self.new = 0, [], range(0)
            return
        if not changes & ~Change.POINTER:
            return
        self.layout_ = run.config.layout
        slots = min(self.layout_.most_held, run.config.max_seq_len)
        self.set_extent(run.config.model.shape.num_layers, slots)
        step = self.store.step
        self.new = range(step.first_row, step.seq_len) if step else range(0)
        self.positions = ring_positions(self.layout_, self.seen, slots)
        self._spans = phase_spans(self.store.trace, self.store.cursor)
        self._pieces = [token.piece for token in self.store.tokens]

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what was seen, then the ring, then what is new, next or pointed at."""
        painter = self.painter()
        if self._slots:
            ratio = painter.deviceTransform().m11()
            rows = self.rows(ratio)
            self._paint_seen(painter, self.tape(ratio))
            self._paint_ring(SlotPainter(painter, self.look, rows), rows)
            self._paint_labels(painter, rows)
            self._paint_next(painter, rows)
            self._paint_marks(SlotPainter(painter, self.look, rows), rows, self.tape(ratio))
        painter.end()

    def explained(self, position: QPointF) -> str:
        """Return what is under ``position`` in one sentence; empty where there is nothing."""
        trace = self.store.trace
        if trace is None or not self._slots:
            return ""
        token, place = self.token_at(position), self.rows().at(position)
        if place is not None:
            return slot_sentence(trace, self._pieces, place, token)
        if token is None:
            return ""
        return seen_sentence(trace, self._pieces, token, self.slot_of(token))

    @property
    def _beside(self) -> int:
        return Tape.height_for(self.look.zoom) + self.look.px(LABELS)

    def _runs(self) -> list[tuple[Phase, int, int, int]]:
        """Return (phase, first slot, first token, tokens) of neighbours that follow each other."""
        filled = [pair for pair in enumerate(self.positions) if pair[1] != EMPTY]
        runs = []
        for _, group in groupby(filled, lambda pair: pair[1] - pair[0]):
            pairs = list(group)
            slot, start, end = pairs[0][0], pairs[0][1], pairs[-1][1] + 1
            for phase, first, last in self._spans:
                low, high = max(first, start), min(last, end)
                if low < high:
                    runs.append((phase, slot + low - start, low, high - low))
        return runs

    def _paint_seen(self, painter: QPainter, tape: Tape) -> None:
        look, new = self.look, self.new
        ground = look.color("bg0")
        for phase, first, last in self._spans:
            painter.fillRect(tape.span(first, last), mixed(ground, look.color(phase.value), FALLEN))
        for phase, _, token, count in self._runs():
            hue = mixed(ground, look.color(phase.value), OLDER)
            painter.fillRect(tape.span(token, token + count), hue)
            low, high = max(token, new.start), min(token + count, new.stop)
            if low < high:
                painter.fillRect(tape.span(low, high), look.color(phase.value))
        tape.paint_gaps(painter, self.seen, ground)
        painter.setFont(look.font(11))
        painter.setPen(look.color("secondary"))
        painter.drawText(tape.name, Qt.AlignmentFlag.AlignVCenter, "seen")

    def _paint_ring(self, slots: SlotPainter, rows: SlotRows) -> None:
        slots.paint_names()
        new, filled = self.new, sum(position != EMPTY for position in self.positions)
        slots.paint_reserved(filled, rows.slots, noted=filled > 0)
        for phase, slot, token, count in self._runs():
            slots.fill(slot, slot + count, phase.value, OLDER)
            low, high = max(token, new.start), min(token + count, new.stop)
            slots.fill(slot + low - token, slot + high - token, phase.value)
        seam = min(filled, rows.seam)
        slots.paint_gaps(0, seam)
        slots.paint_gaps(seam, filled)

    def _paint_labels(self, painter: QPainter, rows: SlotRows) -> None:
        """Write above each slot the token in it, or its number where there is less room."""
        px, wide = self.look.px, rows.slot
        if wide < px(NUMBER_FROM):
            return
        painter.setPen(self.look.color("secondary"))
        for slot, position in enumerate(self.positions):
            if position == EMPTY:
                continue
            text, font = str(position), self.look.font(11)
            if wide >= px(PIECE_FROM):
                text, font = self._name(position, wide)
            if QFontMetricsF(font).horizontalAdvance(text) <= wide:
                box = QRectF(rows.x(slot), rows.top - px(LABELS), wide, px(LABELS))
                painter.setFont(font)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _name(self, position: int, wide: float) -> tuple[str, QFont]:
        """Return a token's name and its font: drawn narrower where it is long, then cut."""
        name, font = visible(self._pieces[position].strip(" ")), self.look.font(11)
        needed = QFontMetricsF(font).horizontalAdvance(name)
        if needed > wide:
            font.setStretch(max(NARROWEST, int(99 * wide / needed)))
        cut = Qt.TextElideMode.ElideRight
        return QFontMetricsF(font).elidedText(name, cut, wide), font

    def _paint_next(self, painter: QPainter, rows: SlotRows) -> None:
        """Outline with dashes the slot that the next token is written into."""
        slot = ring_slot(self.layout_, self.seen)
        if slot >= rows.slots:
            return
        pen = QPen(self.look.color("text"), max(1.0, self.look.zoom))
        pen.setDashPattern([3, 2])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rows.columns(slot, slot + 1).adjusted(-0.5, -1.5, -0.5, 1.5))

    def _paint_marks(self, slots: SlotPainter, rows: SlotRows, tape: Tape) -> None:
        px, new = self.look.px, self.new
        held = sorted(slot for token in new if (slot := self.slot_of(token)) is not None)
        runs = [list(g) for _, g in groupby(enumerate(held), lambda pair: pair[1] - pair[0])]
        for run in runs:
            slots.outline(rows.columns(run[0][1], run[-1][1] + 1), "cursor", px(2))
        if new:
            slots.outline(tape.span(new.start, new.stop), "cursor", px(2))
        pointer = self.store.pointer
        for token in {pointer.row, pointer.key} - {None}:
            if token is None or token >= self.seen:
                continue
            slots.outline(tape.span(token, token + 1), "text", 1.5)
            if (slot := self.slot_of(token)) is not None:
                slots.outline(rows.columns(slot, slot + 1), "text", 1.5)
