"""On or off, with its name beside it."""

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.explain import explain


class Switch(QCheckBox):
    """``switched(on)`` when a person flips it; ``set_on`` is silent."""

    switched = Signal(bool)

    def __init__(
        self,
        manager: ThemeManager,
        text: str,
        on: bool = False,
        *,
        tooltip: str = "",
        shortcut: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._manager = manager
        self._tooltip, self._shortcut = tooltip, shortcut
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setChecked(on)
        self.toggled.connect(self.switched)
        explain(self, tooltip, None, shortcut)
        manager.changed.connect(self._restyle)
        self._restyle()

    @property
    def on(self) -> bool:
        """Whether it is on."""
        return self.isChecked()

    def set_on(self, on: bool) -> None:
        """Flip without an echo."""
        with QSignalBlocker(self):
            self.setChecked(on)
        self.update()

    def set_reason(self, reason: str | None) -> None:
        """Switch it off for use with ``reason``, or back with None."""
        explain(self, self._tooltip, reason, self._shortcut)

    def sizeHint(self) -> QSize:
        """Return the size of the track, the gap and the text."""
        px = self._manager.px
        width = px(28) + (px(8) + self.fontMetrics().horizontalAdvance(self.text()))
        return QSize(width + px(4), px(28))

    def minimumSizeHint(self) -> QSize:
        """Return the size hint: text is never cut."""
        return self.sizeHint()

    def hitButton(self, pos: object) -> bool:
        """Take clicks anywhere on it."""
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a track with its knob, then the text."""
        color, zoom, lit = self._manager.color, self._manager.zoom, self.isEnabled()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(2 * zoom, (self.height() - 16 * zoom) / 2, 28 * zoom, 16 * zoom)
        strong = color("text" if lit else "ghost")
        painter.setPen(QPen(color("ghost" if lit else "line"), zoom))
        painter.setBrush(strong if self.isChecked() else color("bg3"))
        painter.drawRoundedRect(track, 8 * zoom, 8 * zoom)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("bg0") if self.isChecked() else strong)
        x = track.right() - 8 * zoom if self.isChecked() else track.left() + 8 * zoom
        painter.drawEllipse(QPointF(x, track.center().y()), 5 * zoom, 5 * zoom)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(color("text"), 1.5 * zoom))
            ring = track.adjusted(-1.5 * zoom, -2.5 * zoom, 1.5 * zoom, 2.5 * zoom)
            painter.drawRoundedRect(ring, 10 * zoom, 10 * zoom)
        painter.setPen(color("secondary" if lit else "muted"))
        rest = QRectF(self.rect()).adjusted(track.right() + 8 * zoom, 0, 0, 0)
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.end()

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._manager.font(13))
        self.updateGeometry()
        self.update()
