"""A thin slider over positions 0 … n that can be stopped short of its end."""

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QEnterEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSlider, QWidget

from kvviz.ui.theme import ThemeManager

REST_MS = 200  # a wheel has come to rest when it was still for that long
KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
COMING_BACK = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)


class Slider(QSlider):
    """Says ``moved`` while a person moves it and ``settled`` when it rests; code moves it silently.

    ``stopped`` follows a wish to go past the limit, ``typing`` a key that starts a number.
    """

    moved = Signal(int)
    settled = Signal(int)
    stopped = Signal()
    typing = Signal(str)

    def __init__(
        self, manager: ThemeManager, last: int, position: int = 0, parent: QWidget | None = None
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._manager = manager
        self._limit: int | None = None
        self._unsettled = False
        self._ring = False
        self._before = position
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._settle)
        # A drag leaves the keyboard where it was: Home and the arrows stay the run's.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.set_last(last)
        self.set_position(position)
        self.actionTriggered.connect(self._on_action)
        self.valueChanged.connect(self._on_value_changed)
        manager.changed.connect(self._restyle)
        self._restyle()

    @property
    def limit(self) -> int | None:
        """The furthest position allowed now; None when it is the end."""
        return self._limit

    def set_last(self, last: int) -> None:
        """Let positions run from 0 to ``last``."""
        with QSignalBlocker(self):
            self.setRange(0, last)
        self._before = self.value()
        self.setPageStep(max(1, last // 10))
        self.update()

    def set_position(self, position: int) -> None:
        """Move without telling anyone."""
        with QSignalBlocker(self):
            self.setValue(position)
        self._before = self.value()

    def set_limit(self, limit: int | None) -> None:
        """Stop at ``limit`` from now on; the track shows where."""
        if limit != self._limit:
            self._limit = limit
            self.update()

    def x_of(self, position: int) -> float:
        """Where ``position`` is, in px from the left edge."""
        radius = self._radius()
        share = position / self.maximum() if self.maximum() else 0.0
        return radius + share * (self.width() - 2 * radius)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go straight to the place that was pressed, and follow from there."""
        if event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self.setSliderDown(True)
        self._follow(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        if self.isSliderDown():
            self._follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Come to rest."""
        if self.isSliderDown() and event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(False)
            self._settle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows, PageUp/Down, Home and End move; a digit, Enter or F2 starts typing."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.typing.emit("")
        elif event.text() and event.text() in "0123456789.-":
            self.typing.emit(event.text())
        else:
            super().keyPressEvent(event)
            if not event.isAutoRepeat():
                self._settle()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Come to rest when a held key is let go."""
        super().keyReleaseEvent(event)
        if not event.isAutoRepeat():
            self._settle()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only with the focus, so that a panel can be scrolled past a slider."""
        if not self.hasFocus():
            event.ignore()
            return
        super().wheelEvent(event)
        event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring when the keyboard brought the focus."""
        if event.reason() not in COMING_BACK:
            self._ring = event.reason() in KEYBOARD
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Come to rest when the focus leaves in mid-move."""
        super().focusOutEvent(event)
        self._settle()
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Repaint with the larger handle."""
        super().enterEvent(event)
        self.update()

    def sizeHint(self) -> QSize:
        """Return a width that lets a handle be aimed, and the height of a row."""
        return QSize(self._manager.px(96), self._manager.px(24))

    def minimumSizeHint(self) -> QSize:
        """Return the least that is still usable."""
        return QSize(self._manager.px(56), self._manager.px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the track, the part that is taken, the limit and the handle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on = self.isEnabled()
        middle, here = self.height() / 2, self.x_of(self.sliderPosition())
        free_end = float(self.width()) if self._limit is None else self.x_of(self._limit)
        self._bar(painter, 0, max(free_end, here), "bg3")
        if self._limit is not None:
            self._beyond(painter, free_end)
        self._bar(painter, 0, here, "secondary" if on else "line")
        hot = self.underMouse() or self.isSliderDown()
        radius = self._radius() - (0 if hot and on else self._manager.px(1))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._manager.color("text" if on else "ghost"))
        painter.drawEllipse(QPointF(here, middle), radius, radius)
        if self.hasFocus() and self._ring:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._manager.color("text"), self._manager.zoom * 1.5))
            outer = radius + self._manager.zoom * 2.5
            painter.drawEllipse(QPointF(here, middle), outer, outer)
        painter.end()

    def _bar(self, painter: QPainter, left: float, right: float, tone: str) -> None:
        thick = 3 * self._manager.zoom
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._manager.color(tone))
        bar = QRectF(left, (self.height() - thick) / 2, right - left, thick)
        painter.drawRoundedRect(bar, thick / 2, thick / 2)

    def _beyond(self, painter: QPainter, start: float) -> None:
        """Dot the part that cannot be reached and put a stop in front of it."""
        zoom, middle = self._manager.zoom, self.height() / 2
        pen = QPen(self._manager.color("ghost"), 1.5 * zoom)
        pen.setDashPattern([1.0, 2.5])
        painter.setPen(pen)
        painter.drawLine(QPointF(start + 3 * zoom, middle), QPointF(self.width(), middle))
        painter.setPen(QPen(self._manager.color("secondary"), 2 * zoom))
        half = 5 * zoom
        painter.drawLine(QPointF(start, middle - half), QPointF(start, middle + half))

    def _radius(self) -> float:
        return 7.5 * self._manager.zoom

    def _follow(self, event: QMouseEvent) -> None:
        room = max(1.0, self.width() - 2 * self._radius())
        share = (event.position().x() - self._radius()) / room
        self.setSliderPosition(round(share * self.maximum()))

    @Slot(int)
    def _on_action(self, _action: int) -> None:
        # Qt announces a move before it makes it, so that it can be corrected here.
        allowed = self._allowed(self.sliderPosition())
        if allowed != self.sliderPosition():
            self.setSliderPosition(allowed)
            self.stopped.emit()

    @Slot(int)
    def _on_value_changed(self, position: int) -> None:
        allowed = self._allowed(position)
        if allowed != position:  # a screen reader sets values without announcing them
            with QSignalBlocker(self):
                self.setValue(allowed)
            self.stopped.emit()
        if allowed != self._before:
            self._before = allowed
            self._unsettled = True
            self.moved.emit(allowed)
            if not self.isSliderDown():
                self._rest.start()  # keys settle at once; a wheel or a screen reader, when still

    def _allowed(self, position: int) -> int:
        """Return how far a move to ``position`` may go: past the limit only back."""
        return position if self._limit is None else min(position, max(self._limit, self._before))

    @Slot()
    def _settle(self) -> None:
        self._rest.stop()
        if self._unsettled:
            self._unsettled = False
            self.settled.emit(self.value())

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
