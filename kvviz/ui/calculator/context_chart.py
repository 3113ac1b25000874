"""Cache against context on logarithmic axes, several models, one budget."""

import html
from math import log2

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from kvviz.session.calculator.curve import Curve
from kvviz.session.calculator.words import short_tokens
from kvviz.sizing.units import bytes_text, count_text
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.spread import spread
from kvviz.ui.fonts import MEDIUM, REGULAR
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import Axis
from kvviz.ui.views.chart_items import Line, Ring
from kvviz.ui.views.plot_scale import PlotScale

LEFT, TOP, RIGHT, BOTTOM = 62, 12, 130, 24
TONES = ("prefill", "good", "cursor", "secondary", "fifth")  # the budget is red
OWN_RING = Ring(0, 0, "prefill")
DASH = 14  # px to each side of a pinned model's own budget


class ContextChart(QWidget):
    """One line a model, its name at its end; the budget, and a dot where the shown model meets it.

    A pinned model has other weights, so its dot is where it meets what these leave, a short dash.
    """

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__()
        self._desk, self._look = desk, look
        self._at: int | None = None
        self._here: QRectF | None = None  # where the ring is
        self._clip = QRectF()  # what of the view is painted
        self._curves: tuple[Curve, ...] = ()
        self._lines: list[tuple[Curve, Line, str]] = []
        self._scale = PlotScale(QRectF(0, 0, 1, 1), Axis(0, 1), Axis(0, 1))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        look.changed.connect(self.refresh_size)

    @property
    def crossings(self) -> dict[str, int]:
        """Where each model's line meets the budget, in tokens, if it is within the chart."""
        found: dict[str, int] = {}
        for curve in self._curves:
            if curve.crossing and curve.lengths[0] <= curve.crossing <= curve.lengths[-1]:
                found[curve.name] = curve.crossing
        return found

    @property
    def scale_of_plot(self) -> PlotScale:
        """Where log2 tokens and log2 bytes are in pixels."""
        return self._scale

    def refresh(self) -> None:
        """Read the curves; the same ones are drawn as they were."""
        curves = self._desk.calculator.curves()
        if curves is not self._curves:
            self._curves = curves
            self._lines = [
                (curve, _line(curve, tone, width=2.0 if number == 0 else 1.4), tone)
                for number, (curve, tone) in enumerate(zip(curves, TONES, strict=False))
                if not curve.problem
            ]
            self.refresh_size()
        before, self._here = self._here, self._ring_box()
        for box in (before, self._here):
            if box is not None:
                self.update(box.toAlignedRect())

    def refresh_size(self) -> None:
        """Take the size there is."""
        self._rescale()
        self._here = self._ring_box()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the drawing's size."""
        return QSize(self._look.px(420), self._look.px(260))

    def minimumSizeHint(self) -> QSize:
        """Return the least in which lines can be told apart."""
        return QSize(self._look.px(300), self._look.px(200))

    def resizeEvent(self, event: object) -> None:
        """Keep the plot filling the view."""
        self.refresh_size()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Read the values under the mouse."""
        rect = self._scale.rect
        x = min(max(event.position().x(), rect.left()), rect.right())
        self._at = round(2 ** self._scale.x_at(x))
        self.setToolTip(self.readout(self._at))
        QToolTip.showText(event.globalPosition().toPoint(), self.toolTip(), self)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        self._at = None
        self.update()

    def readout(self, tokens: int) -> str:
        """Return what each model takes at a length."""
        rows = []
        for curve in self._curves:
            said = curve.problem or f"{bytes_text(_at(curve, tokens))}"
            rows.append(f"{curve.name}: {said}")
            if curve.crossing:
                rows[-1] += f", fits beside its weights up to {count_text(curve.crossing, 'token')}"
            elif curve.note:
                rows[-1] += f", {curve.note}"
        length = count_text(tokens, "token")
        text = "<br>".join((length, *(html.escape(row, quote=False) for row in rows)))
        return f"<qt><p style='white-space:pre'>{text}</p></qt>"

    def _rescale(self) -> None:
        if not self._lines:
            return
        px = self._look.px
        values = [n for curve, _, _ in self._lines for n in curve.num_bytes if n]
        budget = self._desk.calculator.budget
        if budget:
            values.append(budget)
        low = int(log2(min(values, default=1)))
        high = max(low + 3, int(log2(max(values, default=1))) + 1)
        lengths = self._lines[0][0].lengths
        width = max(8.0, self.width() - px(LEFT) - px(RIGHT))
        rect = QRectF(px(LEFT), px(TOP), width, max(8.0, self.height() - px(TOP) - px(BOTTOM)))
        x = Axis(log2(lengths[0]), log2(lengths[-1]), _token_ticks(lengths[0], lengths[-1]))
        self._scale = PlotScale(rect, x, Axis(low, high, _byte_ticks(low, high)), self._look.zoom)
        for _, line, _ in self._lines:
            line.draw(self._scale, int(width))

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw axes, lines, budget, crossings, names, and what is pointed at."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._clip = QRectF(event.rect())
        self._paint_axes(painter)
        for _, line, _ in reversed(self._lines):  # the shown model's own lies on top
            line.paint(painter, self._look)
        self._paint_budget(painter)
        for curve, _, tone in self._lines:
            if curve.name in self.crossings and curve.budget:
                self._paint_crossing(painter, self.crossings[curve.name], curve.budget, tone)
        self._paint_names(painter)
        self._paint_here(painter)
        painter.end()

    def _paint_axes(self, painter: QPainter) -> None:
        look, rect = self._look, self._scale.rect
        painter.setFont(look.font(11))
        metrics = QFontMetricsF(painter.font())
        for place, text in self._scale.y.ticks:
            y = round(self._scale.y_px(place))
            if not self._touches(y):
                continue
            painter.setPen(QPen(look.color("line"), 1))
            painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))
            painter.setPen(look.color("muted"))
            left = rect.left() - look.px(8) - metrics.horizontalAdvance(text)
            painter.drawText(QPointF(left, y + metrics.capHeight() / 2), text)
        painter.setPen(look.color("muted"))
        baseline, taken = rect.bottom() + look.px(6) + metrics.ascent(), -1e9
        if not self._touches(baseline):
            return
        for place, text in self._scale.x.ticks:
            width = metrics.horizontalAdvance(text)
            left = self._scale.x_px(place) - width / 2
            if left > taken + look.px(10):
                painter.drawText(QPointF(left, baseline), text)
                taken = left + width

    def _paint_budget(self, painter: QPainter) -> None:
        budget = self._desk.calculator.budget
        if not budget or not self._lines:
            return
        look, rect = self._look, self._scale.rect
        y = self._scale.y_px(log2(budget))
        pen = QPen(look.color("decode"), 1.4 * look.zoom)
        pen.setDashPattern([4.0, 3.0])
        painter.setPen(pen)
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))
        painter.setFont(look.font(11))
        metrics = QFontMetricsF(painter.font())
        box = QRectF(rect.left() + look.px(6), 0, 0, metrics.height())
        # Lines rise to the right: above the budget's left end there is room for its name.
        box.moveBottom(y - look.px(3))
        room = self._free_until(box.bottom()) - box.left() - look.px(4)
        amount = bytes_text(budget)
        for said in (f"left for the cache, {amount}", f"left, {amount}", amount):
            box.setWidth(metrics.horizontalAdvance(said))
            if box.width() <= room:
                break
        painter.fillRect(box.adjusted(-2, 0, 2, 0), look.color("bg1"))
        painter.setPen(look.color("decode"))
        painter.drawText(QPointF(box.left(), box.bottom() - metrics.descent()), said)

    def _free_until(self, y: float) -> float:
        """Where, from the left, the first line rises above ``y``."""
        rises = (line.x_px[line.y_px <= y] for _, line, _ in self._lines)
        return min((float(x[0]) for x in rises if len(x)), default=self._scale.rect.right())

    def _paint_crossing(self, painter: QPainter, tokens: int, budget: int, tone: str) -> None:
        at, reach = self._scale.to_pixel(log2(tokens), log2(budget)), self._look.px(DASH)
        if budget != self._desk.calculator.budget:
            painter.setPen(QPen(self._look.color(tone), 1.4 * self._look.zoom))
            painter.drawLine(QPointF(at.x() - reach, at.y()), QPointF(at.x() + reach, at.y()))
        Ring(0, 0, tone, outline="bg1").paint(painter, self._look, at)

    def _paint_names(self, painter: QPainter) -> None:
        look, rect = self._look, self._scale.rect
        if self._clip.right() < rect.right():
            return
        ends = [line.y_px[-1] for _, line, _ in self._lines]
        metrics = QFontMetricsF(look.font(11, MEDIUM))
        places = spread(ends, metrics.height(), rect.top(), rect.bottom())
        for number, ((curve, _, tone), place) in enumerate(zip(self._lines, places, strict=True)):
            painter.setFont(look.font(11, MEDIUM if number == 0 else REGULAR))
            painter.setPen(look.color(tone))
            room = self.width() - rect.right() - look.px(10)
            name = QFontMetricsF(painter.font()).elidedText(
                curve.name, Qt.TextElideMode.ElideRight, room
            )
            at = QPointF(rect.right() + look.px(8), place + metrics.capHeight() / 2)
            painter.drawText(at, name)

    def _paint_here(self, painter: QPainter) -> None:
        """Mark what is asked for on the shown model's line, and the column under the mouse."""
        look = self._look
        if self._at is not None:
            x = self._scale.x_px(log2(max(1, self._at)))
            painter.setPen(QPen(look.color("ghost"), 1))
            rect = self._scale.rect
            painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))
        if (at := self._ring_at()) is not None:
            OWN_RING.paint(painter, look, at)

    def _ring_at(self) -> QPointF | None:
        """Where what is asked for is on the shown model's line, None where it is not on it."""
        answer = self._desk.calculator.answer
        used, tokens = answer.size.per_gpu_bytes, answer.load.tokens
        if not used or tokens < 2**self._scale.x.low:
            return None
        return self._scale.to_pixel(log2(tokens), log2(used))

    def _ring_box(self) -> QRectF | None:
        at = self._ring_at()
        return None if at is None else OWN_RING.box(self._look, at)

    def _touches(self, y: float) -> bool:
        """Whether words at ``y`` are to be drawn anew: they take longest of all."""
        reach = self._look.px(16)
        return self._clip.top() < y + reach and y - reach < self._clip.bottom()


def _line(curve: Curve, tone: str, width: float) -> Line:
    line = Line(tone, width=width)
    line.set([log2(n) for n in curve.lengths], [log2(n) if n else 0.0 for n in curve.num_bytes])
    return line


def _at(curve: Curve, tokens: int) -> int:
    """Return a curve's bytes at the nearest length it was worked out for."""
    nearest = min(range(len(curve.lengths)), key=lambda n: abs(curve.lengths[n] - tokens))
    return curve.num_bytes[nearest]


def _token_ticks(low: int, high: int) -> tuple[tuple[float, str], ...]:
    first, last = int(log2(low)), int(log2(high))
    step = 2 if last - first <= 10 else 4
    places = sorted({*range(last, first, -step)} | {first})
    return tuple((float(place), short_tokens(2**place)) for place in places)


def _byte_ticks(low: int, high: int) -> tuple[tuple[float, str], ...]:
    step = max(1, -(-(high - low) // 6))
    return tuple((float(place), byte_power(place)) for place in range(low, high + 1, step))


def byte_power(exponent: int) -> str:
    """Write 2^exponent bytes: 16 MiB."""
    unit = min(exponent // 10, 5)
    return f"{2 ** (exponent - 10 * unit):,} {('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB')[unit]}"
