"""A quantized cache, drawn: what each token lost, and the newest ones that are still whole."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from kvviz.session.selection import GridMode, Selection
from kvviz.session.shading import WEIGHT_LEVELS
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.errors import token_errors
from kvviz.trace.step import Floats, Phase
from kvviz.trace.trace import Trace
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.color_table import Colors, color_table, index_image
from kvviz.ui.views.error_words import percent, slot_name, slot_sentence
from kvviz.ui.views.pieces import phase_spans
from kvviz.ui.views.slot_painter import OLDER, SlotPainter
from kvviz.ui.views.slot_rows import SlotRows
from kvviz.ui.views.slots_view import MARGINS, PADDING_TEXT, SlotsView

HEAD = 18  # px for the scale's words above the slots
FOOT = 5  # px for the phases below them
MEANS, MEANS_FROM = 104, 13.0  # px at the right for a layer's means; px of a layer from which
SCALE = 72  # px of the bar of colours
NONE = np.zeros((2, 0), np.float32)


class ErrorSlots(SlotsView):
    """Hovering a slot points at its token; its hue is how much of K or V was lost there."""

    concerns = SlotsView.concerns | Change.SELECTION

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, "Errors of the quantized cache", parent)
        self.errors: Floats = NONE
        self.residual = self.coded = 0
        self.new = range(0)  # the tokens that the step added
        self.largest = 0.0
        self._spans: list[tuple[Phase, int, int]] = []
        self._read_of: tuple[Trace, int] | None = None
        self._all: Floats = NONE
        self.read(Change.ALL)

    @property
    def seen(self) -> int:
        """Tokens held at the cursor."""
        return self.new.stop

    def rows(self, ratio: float | None = None) -> SlotRows:
        """Return where codes stand and, apart, the tokens that are whole."""
        return SlotRows(
            self._slots,
            self._layers,
            float(self.width()),
            float(self.height() - MARGINS - self.look.px(FOOT)),
            self.look.zoom,
            ratio or self.devicePixelRatioF(),
            seam=self._slots - self.residual,
            top=3.0 + self.look.px(HEAD),
            right=float(self.look.px(MEANS)),
        )

    def slot_of(self, token: int) -> int | None:
        """Return the slot of a token that is held; None for one that is not there yet."""
        if not 0 <= token < self.seen:
            return None
        place = self.padding + token
        if token < self.coded:
            return place
        return self._slots - self.residual + place % self.residual

    def token_at(self, position: QPointF) -> int | None:
        """Return the token whose slot is under ``position``; None where it is empty."""
        place = self.rows().at(position)
        if place is None:
            return None
        if place[0] < self._slots - self.residual:
            token = place[0] - self.padding
            return token if 0 <= token < self.coded else None
        whole = range(self.coded, self.seen)
        return next((token for token in whole if self.slot_of(token) == place[0]), None)

    def read(self, changes: Change) -> None:
        """Take what each token lost up to the cursor."""
        run = self.store.shown
        if run is None or run.config.layout.kind is not LayoutKind.QUANTIZED:
            self._slots, self.errors, self.new, self._read_of = 0, NONE, range(0), None
            return
        if not changes & ~(Change.POINTER | Change.SELECTION):
            return
        config = run.config
        slots = config.max_seq_len
        self.set_extent(config.model.shape.num_layers, slots)
        self.residual = min(config.layout.residual, slots)
        step = self.store.step
        self.new = range(step.first_row, step.seq_len) if step else range(0)
        self.coded = max(0, self.seen - self.residual)
        if self._read_of != (run.trace, len(run.trace)):
            self._read_of = run.trace, len(run.trace)
            self._all = token_errors(run.trace)
            self.largest = float(self._all.max(initial=0.0))
        self.errors = self._all[:, : self.coded]
        self._spans = phase_spans(run.trace, self.store.cursor)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint errors, what is whole, what is reserved, then marks and words."""
        painter = self.painter()
        if self._slots:
            rows = self.rows(painter.deviceTransform().m11())
            slots = SlotPainter(painter, self.look, rows)
            slots.paint_names()
            self._paint_slots(painter, slots, rows)
            self._paint_phases(painter, rows)
            self._paint_marks(slots, rows)
            self._paint_scale(painter, rows)
            self._paint_means(painter, rows)
        painter.end()

    def explained(self, position: QPointF) -> str:
        """Return what the slot under ``position`` holds, in words; empty outside."""
        place, trace = self.rows().at(position) if self._slots else None, self.store.trace
        if place is None or trace is None:
            return ""
        if place[0] in self._padded:
            return f"{slot_name(place)}: {PADDING_TEXT}"
        _, layer, kind = place
        token = self.token_at(position)
        lost = None
        if token is not None and token < self.errors.shape[1]:
            lost = float(self.errors[2 * layer + kind, token])
        return slot_sentence(trace, self.store.tokens, place, token, lost)

    @property
    def _beside(self) -> int:
        return self.look.px(HEAD + FOOT)

    @property
    def _held(self) -> int:
        """Places that are taken at the cursor, padding with them."""
        return self.padding + self.seen if self.seen else 0

    @property
    def _padded(self) -> list[int]:
        """Slots that hold padding."""
        whole = range(max(0, self._held - self.residual), self._held)
        begin = self._slots - self.residual
        places = range(min(self.padding, self._held))
        return [begin + i % self.residual if i in whole else i for i in places]

    def _colors(self) -> Colors:
        chosen = Selection(mode=GridMode.WEIGHTS, color_map=self.store.selection.color_map)
        return color_table(self.look.theme, chosen)

    def _paint_slots(self, painter: QPainter, slots: SlotPainter, rows: SlotRows) -> None:
        capacity, held = self._slots - self.residual, self._held
        codes = max(0, held - self.residual)
        filled = capacity + held - codes
        slots.paint_reserved(codes, capacity, noted=held > 0)
        slots.paint_reserved(filled, self._slots, noted=False)
        for padded in self._padded:
            slots.paint_padding(padded, padded + 1)
        for phase, first, last in self._spans:
            for token in range(max(first, self.coded), last):
                slot = self.slot_of(token)
                assert slot is not None
                slots.fill(slot, slot + 1, phase.value, OLDER)
        if (known := self.errors.shape[1]) and self.largest:
            levels = 1 + np.rint(self.errors / self.largest * (WEIGHT_LEVELS - 1))
            image = index_image(levels.astype(np.uint8), self._colors())
            for row in range(2 * self._layers):
                target = rows.span(self.padding, self.padding + known, row // 2, row % 2)
                painter.drawImage(target, image, QRectF(0, row, known, 1))
        slots.paint_gaps(0, codes)
        slots.paint_gaps(capacity, filled)

    def _paint_phases(self, painter: QPainter, rows: SlotRows) -> None:
        """Say below the codes who wrote them: their own hue is taken."""
        for phase, first, last in self._spans:
            if first < (end := min(last, self.coded)):
                below = rows.columns(self.padding + first, self.padding + end)
                line = QRectF(below.left(), below.bottom() + 3, below.width(), self.look.px(2))
                painter.fillRect(line, self.look.color(phase.value))

    def _paint_marks(self, slots: SlotPainter, rows: SlotRows) -> None:
        new, pointer = self.new, self.store.pointer
        became = max(0, new.start - self.residual)
        if became < self.coded:
            begin = self.padding
            outlined = rows.columns(begin + became, begin + self.coded)
            slots.outline(outlined, "cursor", self.look.px(2))
        for token in range(max(new.start, self.coded), new.stop):
            slot = self.slot_of(token)
            assert slot is not None
            slots.outline(rows.columns(slot, slot + 1), "cursor", self.look.px(2))
        for pointed in {pointer.row, pointer.key} - {None}:
            place = self.slot_of(pointed) if pointed is not None else None
            if place is not None:
                slots.outline(rows.columns(place, place + 1), "text", 1.5)

    def _paint_scale(self, painter: QPainter, rows: SlotRows) -> None:
        px, look = self.look.px, self.look
        painter.setFont(look.font(11))
        painter.setPen(look.color("secondary"))
        metrics = QFontMetricsF(painter.font())
        line = QRectF(rows.left, 0, self.width() - rows.left, px(HEAD) - 2)
        x = rows.left
        words = ("error  0", f"{percent(self.largest)} of a token's length")
        for index, text in enumerate(words):
            width = metrics.horizontalAdvance(text) + 2
            box = QRectF(x, line.top(), width, line.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
            x += width + px(6)
            if index == 0:
                bar = QRectF(x, line.center().y() - px(3), px(SCALE), px(6))
                colors = np.arange(1, 256, dtype=np.uint8)[None, :]
                painter.drawImage(bar, index_image(colors, self._colors()))
                x += px(SCALE + 6)
        if self.residual:
            whole = rows.columns(self._slots - self.residual, self._slots)
            width = metrics.horizontalAdvance("whole") + 2
            box = QRectF(max(x, whole.left()), line.top(), width, line.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, "whole")

    def _paint_means(self, painter: QPainter, rows: SlotRows) -> None:
        """Write each layer's mean errors at its end."""
        if rows.pitch < self.look.px(MEANS_FROM) or not self.errors.shape[1]:
            return
        means = self.errors.mean(axis=1)
        left = rows.body.right() + self.look.px(12)
        painter.setFont(self.look.font(11))
        painter.setPen(self.look.color("secondary"))
        box = QRectF(left, 0, self.width() - left, self.look.px(HEAD) - 2)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, "mean error")
        for layer in range(self._layers):
            k, v = (percent(float(mean)) for mean in means[2 * layer : 2 * layer + 2])
            box = QRectF(left, rows.y(layer, 0) - 4, self.width() - left, 2 * rows.row + 9)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, f"K {k}  V {v}")
