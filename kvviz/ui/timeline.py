"""The run as a strip of steps: where it is, what is recorded, what is still planned."""

from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from kvviz.session.progress import total_steps
from kvviz.session.selection import Pointer
from kvviz.session.step_marks import StepMarks
from kvviz.sizing.units import count_text, ms_text
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.explained_view import ExplainedView
from kvviz.ui.views.pieces import feeding_step, spoken

THICK, CURSOR_HEIGHT, GAP, SIDE = 10, 20, 2, 5  # px at zoom 1
NARROWEST_SEGMENT = 6  # below this many px a step is no longer drawn as one
NARROWEST_SPAN = 3  # a lone prefill among thousands of steps is still seen
AHEAD = 0.38  # recorded, but beyond the cursor


class Timeline(ExplainedView):
    """Blue prefill, red decode, grey still planned; the cursor's step carries the outline.

    A drag scrubs.  Few steps are segments, many are one bar in the same colours.
    """

    concerns = Change.RUNS | Change.STEPS | Change.CURSOR | Change.POINTER

    def __init__(self, store: Store, look: ThemeManager) -> None:
        super().__init__(store, look)
        self._marks: StepMarks | None = None
        self._total = 0
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Timeline")
        self.read(Change.ALL)

    # What it can be asked

    @property
    def total(self) -> int:
        """Steps drawn, planned ones included."""
        return self._total

    @property
    def segmented(self) -> bool:
        """Whether each step is a segment of its own."""
        narrowest = NARROWEST_SEGMENT * self.look.zoom
        return self._total > 0 and self._strip().width() / self._total >= narrowest

    def segment(self, index: int) -> QRectF:
        """Return the box of a step."""
        gap = self.look.px(GAP) if self.segmented else 0.0
        strip = self._strip()
        width = (strip.width() + gap) / max(1, self._total)
        return QRectF(strip.left() + index * width, strip.top(), width - gap, strip.height())

    def step_at(self, x: float) -> int:
        """Return the step at a pixel, -1 where there is none."""
        if not self._total:
            return -1
        strip = self._strip()
        share = (x - strip.left()) / max(1.0, strip.width())
        return max(0, min(int(share * self._total), self._total - 1))

    def describe(self, index: int) -> str:
        """Return what is said of a step."""
        trace = self.store.trace
        if trace is None or index < 0:
            return ""
        if index >= len(trace):
            return f"step {index:,} · planned"
        step = trace.steps[index]
        fed = count_text(len(step.new_ids), "token")
        if len(step.new_ids) == 1:
            fed = f"“{spoken(step.new_pieces[0])}”"
        return f"step {index:,} · {step.phase} · {fed} · {ms_text(step.latency_ns)} measured"

    def sizeHint(self) -> QSize:
        """Return room for the outline, and the width of a comfortable drag."""
        return QSize(self.look.px(480), self.look.px(CURSOR_HEIGHT + 4))

    def minimumSizeHint(self) -> QSize:
        """Return the least that can still be scrubbed."""
        return QSize(self.look.px(160), self.look.px(CURSOR_HEIGHT + 4))

    # The store and the mouse

    def read(self, changes: Change) -> None:
        """Take the steps of the shown run."""
        run = self.store.shown
        self._total = total_steps(run) if run is not None else 0
        if run is None:
            self._marks = None
        elif self._marks is None or self._marks.trace is not run.trace:
            self._marks = StepMarks(run.trace)
        else:
            self._marks.follow()
        self.setAccessibleDescription(self.describe(self.store.cursor))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the step under the mouse."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._seek(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Scrub while the button is down; point at the step's row in any case."""
        index = self.step_at(event.position().x())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._seek(event.position())
        trace = self.store.trace
        known = trace is not None and 0 <= index < len(trace)
        row = trace.steps[index].seq_len - 1 if trace is not None and known else None
        self.store.point(Pointer(row=row))

    def explained(self, position: QPointF) -> str:
        """Return what is said of the step under ``position``."""
        return self.describe(self.step_at(position.x()))

    def explained_box(self, position: QPointF) -> QRectF:
        """Return the step's own box."""
        return self.segment(self.step_at(position.x()))

    def _seek(self, position: QPointF) -> None:
        trace = self.store.trace
        if trace is not None and len(trace):
            index = min(self.step_at(position.x()), len(trace) - 1)
            if index != self.store.cursor:
                self.store.seek(index)

    def _strip(self) -> QRectF:
        """Where steps are drawn: the outline of the first and the last has room beside it."""
        side, thick = self.look.px(SIDE), self.look.px(THICK)
        return QRectF(side, (self.height() - thick) / 2, self.width() - 2 * side, thick)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the strip, the pointed step and the cursor."""
        painter = self.painter()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if self._marks is None or not self._total:
            self._fill(painter, self._strip(), "bg3", 1.0)
        elif self.segmented:
            self._paint_segments(painter, self._marks)
        else:
            self._paint_bar(painter, self._marks)
        pointed = feeding_step(self.store.trace, -1 if (r := self.store.pointer.row) is None else r)
        if pointed is not None and pointed != self.store.cursor:
            self._outline(painter, pointed, "text", 1.25)
        if 0 <= self.store.cursor < self._total:
            self._outline(painter, self.store.cursor, "cursor", 1.75)
        painter.end()

    def _paint_segments(self, painter: QPainter, marks: StepMarks) -> None:
        decode = marks.decode.tolist()
        for index in range(self._total):
            tone, alpha = "bg3", 1.0
            if index < len(decode):
                tone = "decode" if decode[index] else "prefill"
                alpha = 1.0 if index <= self.store.cursor else AHEAD
            self._fill(painter, self.segment(index), tone, alpha)

    def _paint_bar(self, painter: QPainter, marks: StepMarks) -> None:
        whole = self._strip()
        clip = QPainterPath()
        clip.addRoundedRect(whole, self.look.px(2), self.look.px(2))
        painter.setClipPath(clip)
        painter.fillRect(whole, self.look.color("bg3"))
        for start, stop, decode in self._spans(marks):
            left, right = self.segment(start).left(), self.segment(stop - 1).right()
            alpha = 1.0 if start <= self.store.cursor else AHEAD
            width = right - left if decode else max(right - left, self.look.px(NARROWEST_SPAN))
            box = QRectF(left, whole.top(), width, whole.height())
            # A faint span must not show what lies under it.
            painter.fillRect(box, self.look.color("bg1"))
            painter.fillRect(box, self.look.color("decode" if decode else "prefill", alpha))
        painter.setClipping(False)

    def _spans(self, marks: StepMarks) -> list[tuple[int, int, bool]]:
        """Return (first, after the last, decode) of steps alike, decode ones first.

        The cursor parts them too; a narrow prefill is drawn over its neighbours.
        """
        decode = marks.decode
        edges = np.flatnonzero(np.diff(decode.astype(np.int8))) + 1
        cuts = {0, len(decode), *edges.tolist(), min(self.store.cursor + 1, len(decode))}
        places = sorted(cuts)
        spans = [(start, stop, bool(decode[start])) for start, stop in pairwise(places)]
        return sorted(spans, key=lambda span: not span[2])

    def _fill(self, painter: QPainter, box: QRectF, tone: str, alpha: float) -> None:
        radius = min(2.0 * self.look.zoom, box.width() / 3)
        painter.setBrush(self.look.color(tone, alpha))
        painter.drawRoundedRect(box, radius, radius)

    def _outline(self, painter: QPainter, index: int, tone: str, width: float) -> None:
        """Draw round a step; a narrow one gets an outline that can still be seen."""
        zoom, box = self.look.zoom, self.segment(index)
        half = max(box.width() / 2 + 2 * zoom, 4.5 * zoom)
        tall = self.look.px(CURSOR_HEIGHT)
        frame = QRectF(box.center().x() - half, (self.height() - tall) / 2, 2 * half, tall)
        inset = width * zoom / 2
        painter.setPen(QPen(self.look.color(tone), width * zoom))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame.adjusted(inset, inset, -inset, -inset), 4 * zoom, 4 * zoom)
