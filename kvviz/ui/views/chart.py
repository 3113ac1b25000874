"""One small plot: axes that stay, lines and dots, and words at what they name."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSizeF, Qt, Signal, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import Axis
from kvviz.ui.views.chart_items import Bar, Dots, Line, Ring
from kvviz.ui.views.label_room import LabelRoom, Note, Placed, Spot, corner
from kvviz.ui.views.plot_scale import PlotScale
from kvviz.ui.views.shaped_texts import ShapedTexts

LEFT, TOP, RIGHT, BOTTOM = 40, 18, 6, 20  # px round the plot: labels stand there
OVERHANG = 6  # px that a line may reach past the plot before it is cut
WIDEST_BAR = 9
EMPTY_AXIS = Axis(0.0, 1.0)


class Chart(QWidget):
    """A plot without menus, legends or moving axes, painted in one go.

    A scene of items would take as long as all that is in it.

    ``hovered`` carries x in data units, None when the mouse leaves; ``clicked`` carries x.
    """

    hovered = Signal(object)
    clicked = Signal(float)

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._axes = (EMPTY_AXIS, EMPTY_AXIS)
        self._scale = PlotScale(QRectF(0, 0, 1, 1), *self._axes)
        self._lines: list[Line] = []
        self._dots: list[Dots] = []
        self._bars: tuple[Bar, ...] = ()
        self._cursor: Ring | None = None
        self._pointer: Ring | None = None
        self._notes: Callable[[], list[Note]] = list
        self._placed: list[Placed] | None = None
        self._numbers: list[tuple[str, QRectF]] | None = None
        self._texts = ShapedTexts()
        self.holds_words = False  # where they stand, while lines move faster than one can read
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        # The ground is ours: nothing below needs to be painted first.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        look.changed.connect(self._on_look_changed)
        self._on_look_changed()

    # What it shows

    def add_line(self, line: Line) -> Line:
        """Add a curve, over those before it."""
        self._lines.append(line)
        return line

    def add_dots(self, dots: Dots) -> Dots:
        """Add points, over the lines and the points before them."""
        self._dots.append(dots)
        return dots

    def show_data(
        self,
        x: Axis,
        y: Axis,
        *,
        notes: Callable[[], list[Note]] = list,
        bars: Sequence[Bar] = (),
        cursor: Ring | None = None,
    ) -> None:
        """Show lines and dots as they now are, in these axes.

        ``notes`` is called when words are placed: while they are held there is no need.
        """
        self._axes = (x, y)
        self._notes, self._bars, self._cursor = notes, tuple(bars), cursor
        self._draw()

    def place_words(self) -> None:
        """Look for the best places of the words anew."""
        self._placed = None
        self.update()

    def show_pointer(self, ring: Ring | None) -> None:
        """Put a ring round what is pointed at; nothing else moves."""
        if ring != self._pointer:
            self._pointer = ring
            self.update()

    # What it can be asked

    @property
    def scale_of_plot(self) -> PlotScale:
        """Where data are in pixels, and the ranges in force."""
        return self._scale

    @property
    def pointer_ring(self) -> Ring | None:
        """The ring round what is pointed at."""
        return self._pointer

    def labels(self) -> dict[str, QRectF]:
        """Return the words that found room, and where."""
        return {placed.note.text: placed.box for placed in self._place_notes()}

    def leaders(self) -> dict[str, QLineF]:
        """Return the lines that join words moved away to what they name."""
        return {
            placed.note.text: line for placed in self._place_notes() if (line := placed.leader())
        }

    def numbers(self) -> list[tuple[str, QRectF]]:
        """Return what is written at the axes, and where: y from the top, then x."""
        if self._numbers is None:
            self._numbers = [*self._y_numbers(), *self._x_numbers()]
        return self._numbers

    # Geometry

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the plot filling the view."""
        super().resizeEvent(event)
        self._draw()

    def _draw(self) -> None:
        px, size = self._look.px, self.size()
        width = max(8.0, size.width() - px(LEFT) - px(RIGHT))
        height = max(8.0, size.height() - px(TOP) - px(BOTTOM))
        rect = QRectF(px(LEFT), px(TOP), width, height)
        scale = PlotScale(rect, *self._axes, self._look.zoom)
        if scale != self._scale:
            self._scale, self._numbers = scale, None
        for line in self._lines:
            line.draw(scale, int(width))
        for dots in self._dots:
            dots.draw(scale.x_px(dots.x), scale.y_px(dots.y), self._look.zoom)
        if not self.holds_words:
            self._placed = None
        self.update()

    def _bar_box(self, bar: Bar) -> QRectF:
        """The bar's box; a lone bar is as wide as the eye likes, many are as wide as fits."""
        zoom, scale = self._look.zoom, self._scale
        width = max(2 * zoom, min(WIDEST_BAR * zoom, 0.7 * (scale.x_px(1.0) - scale.x_px(0.0))))
        foot = scale.to_pixel(bar.x, 0.0)
        top = scale.rect.top() if bar.cut else scale.y_px(bar.y)
        left = max(scale.rect.left(), foot.x() - width / 2)
        return QRectF(left, min(top, foot.y() - zoom), width, max(zoom, foot.y() - top))

    # Words

    def _y_numbers(self) -> list[tuple[str, QRectF]]:
        """The top number stands on its line, with the unit; the others left of theirs."""
        font, rect, px = self._metrics, self._scale.rect, self._look.px
        written = []
        for place, text in self._scale.y.ticks:
            y, width = self._scale.y_px(place), font.horizontalAdvance(text)
            if place == self._scale.y.high:
                left, baseline = rect.left(), y - px(5)
            else:
                left, baseline = rect.left() - px(7) - width, y + font.capHeight() / 2
            written.append((text, self._box(width, left, baseline)))
        return written

    def _x_numbers(self) -> list[tuple[str, QRectF]]:
        """Each under its place but within the plot; one that would touch another is left out."""
        font, rect, px = self._metrics, self._scale.rect, self._look.px
        baseline, gap = rect.bottom() + px(5) + font.ascent(), px(8)
        written: list[tuple[str, QRectF]] = []
        for place, text in self._scale.x.ticks:
            width = font.horizontalAdvance(text)
            left = self._scale.x_px(place) - width / 2
            left = max(rect.left(), min(left, rect.right() - width))
            box = self._box(width, left, baseline)
            wide = box.adjusted(-gap, 0, gap, 0)
            if not any(wide.intersects(taken) for _, taken in written):
                written.append((text, box))
        return written

    def _box(self, width: float, left: float, baseline: float) -> QRectF:
        """Return the box of a text this wide that stands on ``baseline``."""
        ascent = self._metrics.ascent()
        return QRectF(left, baseline - ascent, width, ascent + self._metrics.descent())

    def _place_notes(self) -> list[Placed]:
        if self._placed is None:
            room = self._room()
            places = [self._place(note, room) for note in self._notes()]
            self._placed = [placed for placed in places if placed is not None]
        return self._placed

    def _place(self, note: Note, room: LabelRoom) -> Placed | None:
        font = self._metrics
        size = QSizeF(font.horizontalAdvance(note.text), font.ascent() + font.descent())
        box = room.place(size, map(partial(self._corner, size=size), note.spots))
        if box is not None:
            return Placed(note, box)
        points = [self._scale.to_pixel(spot.x, spot.y) for spot in note.spots if note.firm]
        apart = room.place_apart(size, points)
        return None if apart is None else Placed(note, *apart)

    def _corner(self, spot: Spot, size: QSizeF) -> tuple[float, float]:
        return corner(self._scale.to_pixel(spot.x, spot.y), spot, size, self._look.zoom)

    def _room(self) -> LabelRoom:
        scale = self._scale
        room = LabelRoom(scale.rect.adjusted(0, -1, 1, 1), 2 * self._look.zoom)
        for place, _ in scale.y.ticks:
            room.add_hairline(scale.y_px(place))
        for line in self._lines:
            room.add_curve(line.x_px, line.y_px)
        for dots in self._dots:
            room.add_points(dots.x_px, dots.y_px)
        for bar in self._bars:
            room.add_box(self._bar_box(bar))
        if (ring := self._cursor) is not None:
            room.add_box(ring.box(self._look, scale.to_pixel(ring.x, ring.y)))
        return room

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the axes, what was measured over them, and the words and rings over all."""
        painter = QPainter(self)
        painter.setFont(self._font)
        painter.fillRect(self.rect(), self._look.color("bg1"))
        self._paint_axes(painter)
        for bar in self._bars:
            bar.paint(painter, self._look, self._bar_box(bar))
        reach = self._look.px(OVERHANG)
        painter.setClipRect(self._scale.rect.adjusted(-reach, -reach, reach, reach))
        for line in self._lines:
            line.paint(painter, self._look)
        painter.setClipping(False)
        for dots in self._dots:
            dots.paint(painter, self._look)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for placed in self._place_notes():
            self._write(painter, placed.note.tone, placed.note.text, placed.box)
            if (leader := placed.leader()) is not None:
                painter.drawLine(leader)
        for ring in (self._cursor, self._pointer):
            if ring is not None:
                ring.paint(painter, self._look, self._scale.to_pixel(ring.x, ring.y))
        painter.end()

    def _paint_axes(self, painter: QPainter) -> None:
        plot = self._scale.rect
        painter.setPen(QPen(self._look.color("line"), 1))
        for place, _ in self._scale.y.ticks:
            y = round(self._scale.y_px(place))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        for text, box in self.numbers():
            self._write(painter, "muted", text, box)

    def _write(self, painter: QPainter, tone: str, text: str, box: QRectF) -> None:
        painter.setPen(self._look.color(tone))
        self._texts.draw(painter, box.topLeft(), text)

    # The mouse and the look

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say over which x the mouse is."""
        self.hovered.emit(self._scale.x_at(event.position().x()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Say which x was clicked."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.clicked.emit(self._scale.x_at(event.position().x()))

    def leaveEvent(self, event: QEvent) -> None:
        """Say that the mouse is gone."""
        self.hovered.emit(None)

    @Slot()
    def _on_look_changed(self) -> None:
        self._font = self._look.font(11)
        self._metrics = QFontMetricsF(self._font)
        self.setMinimumHeight(self._look.px(TOP + BOTTOM + 48))
        self._draw()
