"""All heads of the layer shown, small, side by side: where they look is told at a glance.

A trained model's heads are marked by what they were measured to look at.
"""

from math import ceil

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.session.head_words import kind_sentence
from kvviz.session.picture import Picture
from kvviz.trace.head_kinds import HeadKind
from kvviz.ui.changes import Change
from kvviz.ui.fonts import SEMIBOLD
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.color_table import color_table
from kvviz.ui.views.grid_camera import GridCamera
from kvviz.ui.views.grid_square import GridSquare
from kvviz.ui.views.head_mark import paint_mark
from kvviz.ui.views.view import View

TOP = 36  # the first squares stand as high as the grid's
LARGEST, SMALLEST = 78, 24
LABEL, GAP = 18, 12
MANY = 10  # heads; more stand closer together
WIDTH = 2 * LARGEST + GAP + 4
NARROWEST = 136  # where the window is narrow, the grid needs the room more
WORDS_FROM = 46  # px of a square; below it a number must do
CAPTION, CAPTION_FROM = 15, 64  # a kind's words below a square; in smaller ones a mark must do
MARK = 9
MOST_COLUMNS = 6


class HeadStrip(View):
    """Small multiples of the grid; a click chooses a head."""

    concerns = Change.RUNS | Change.STEPS | Change.CURSOR | Change.SELECTION | Change.PICTURE

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, parent)
        self._count = 0
        self._kinds: tuple[HeadKind | None, ...] = ()
        self._hovered: int | None = None
        self._arranged: tuple[tuple[float, ...], tuple[int, int]] | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.setAccessibleName("Heads of the layer")
        self.read(Change.ALL)

    def sizeHint(self) -> QSize:
        """Return room for every head at a size that still tells something."""
        columns = 2 if self._count <= MANY else 3 if self._count <= 2 * MANY else 4
        gap, label = self._spacing()
        side = (2 * LARGEST + GAP - (columns - 1) * gap) / columns
        height = TOP + ceil(self._count / columns) * (side + label + gap + self._caption)
        return QSize(self.look.px(WIDTH), self.look.px(height))

    def minimumSizeHint(self) -> QSize:
        """Return the least that leaves the squares apart."""
        return QSize(self.look.px(NARROWEST), self.look.px(TOP + 80))

    def head_at(self, position: QPointF) -> int | None:
        """Return the head whose square or label is under ``position``."""
        for head in range(self._count):
            square = self.square(head)
            if square.adjusted(0, -self.look.px(self._spacing()[1]), 0, 0).contains(position):
                return head
        return None

    def square(self, head: int) -> QRectF:
        """Return where the square of ``head`` stands."""
        columns, side = self._arrangement()
        gap, label = self._spacing()
        px = self.look.px
        row, column = divmod(head, columns)
        x = px(2) + column * (side + px(gap))
        y = px(TOP + label) + row * (side + px(label + gap + self._caption))
        return QRectF(x, y, side, side)

    def read(self, changes: Change) -> None:
        """Take the number of heads, and what kind each is."""
        count, kinds = len(self.store.pictures.heads), self._measured_kinds()
        if count != self._count or bool(kinds) != bool(self._kinds):
            self._arranged = None
            self.updateGeometry()
        self._count, self._kinds = count, kinds

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint every head's square, its label above it."""
        painter = self.painter()
        pictures = self.store.pictures.heads[: self._count]
        for head, picture in enumerate(pictures):
            self._paint_head(painter, head, picture)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the head that was clicked."""
        head = self.head_at(event.position())
        if head is not None and event.button() is Qt.MouseButton.LeftButton:
            self.store.select(head=head)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show that a square can be clicked."""
        self._hover(self.head_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Hover nothing."""
        self._hover(None)
        super().leaveEvent(event)

    def _hover(self, head: int | None) -> None:
        if head == self._hovered:
            return
        self._hovered = head
        if head is None:
            self.unsetCursor()
            self.setToolTip("")
        else:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            self.setToolTip(self._explained(head))
        self.update()

    def _explained(self, head: int) -> str:
        trace = self.store.trace
        group = trace.config.model.shape.group_size if trace else 1
        shares = f"; it reads KV head {head // group}" if group > 1 else ""
        layer, scores = self.store.selection.layer, self.store.heads
        says = kind_sentence(scores, layer, head) if scores and self._kind(head) else ""
        return f"<qt>Head {head} of layer {layer}{shares}. {says} Click to show it.</qt>"

    def _measured_kinds(self) -> tuple[HeadKind | None, ...]:
        scores, layer = self.store.heads, self.store.selection.layer
        if scores is None or layer >= len(scores.previous):
            return ()
        return tuple(scores.kind(layer, head) for head in range(scores.previous.shape[1]))

    def _kind(self, head: int) -> HeadKind | None:
        return self._kinds[head] if head < len(self._kinds) else None

    def _paint_head(self, painter: QPainter, head: int, picture: Picture) -> None:
        square, px = self.square(head), self.look.px
        chosen = self.store.selection.head == head
        camera = GridCamera()
        camera.set_side(picture.size)
        camera.set_room(square, painter.deviceTransform().m11())
        colors = color_table(self.look.theme, self.store.selection)
        GridSquare(camera, self.look.theme, colors).paint(painter, picture, self.store)
        lit = chosen or head == self._hovered
        painter.setFont(self.look.font(11, SEMIBOLD) if chosen else self.look.font(11))
        painter.setPen(self.look.color("text" if lit else "secondary"))
        name = f"head {head}" if square.width() >= px(WORDS_FROM) else f"{head}"
        place = QPointF(square.left(), square.top() - px(5))
        painter.drawText(place, name)
        if (kind := self._kind(head)) is not None:
            self._paint_kind(painter, square, kind)
        if lit:
            self._outline(painter, camera.square, "cursor" if chosen else "muted")

    def _paint_kind(self, painter: QPainter, square: QRectF, kind: HeadKind) -> None:
        px = self.look.px
        if self._caption and square.width() >= px(CAPTION_FROM):
            painter.setFont(self.look.font(11))
            painter.setPen(self.look.color("muted"))
            room = self.width() - painter.fontMetrics().horizontalAdvance(kind.value)
            place = QPointF(min(square.left(), room), square.bottom() + px(CAPTION))
            painter.drawText(place, kind.value)
            return
        side = px(MARK)
        corner = QRectF(square.right() - side, square.top() - px(5) - side, side, side)
        paint_mark(painter, corner, kind, self.look.color("secondary"))

    def _outline(self, painter: QPainter, square: QRectF, tone: str) -> None:
        width = self.look.px(2) if tone == "cursor" else 1
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.look.color(tone), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        grown = self.look.px(2)
        painter.drawRoundedRect(square.adjusted(-grown, -grown, grown, grown), 3, 3)
        painter.restore()

    def _arrangement(self) -> tuple[int, int]:
        """Return (columns, side) with the largest squares that all fit."""
        room = (self._count, self.width(), self.height(), self.look.zoom)
        if self._arranged is None or self._arranged[0] != room:
            self._arranged = (room, self._best_arrangement())
        return self._arranged[1]

    def _best_arrangement(self) -> tuple[int, int]:
        best = (1, 0)
        for columns in range(2 if self._count > 1 else 1, MOST_COLUMNS + 1):
            side = self._side_of(columns)
            if side > best[1]:
                best = (columns, side)
        return best[0], max(best[1], self.look.px(SMALLEST))

    def _side_of(self, columns: int) -> int:
        px = self.look.px
        gap, label = self._spacing()
        rows = max(1, ceil(self._count / columns))
        wide = (self.width() - px(4) - (columns - 1) * px(gap)) // columns
        high = (self.height() - px(TOP)) // rows - px(label + gap + self._caption)
        return min(wide, high, px(LARGEST))

    def _spacing(self) -> tuple[int, int]:
        """Return (gap, label's height) in the drawings' px."""
        return (GAP, LABEL) if self._count <= MANY else (7, 15)

    @property
    def _caption(self) -> int:
        """The height, in the drawings' px, of a line for words below each square."""
        return CAPTION if self._kinds and self._count <= MANY else 0
