"""What is pointed at, outlined; the rest a little dimmer."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from kvviz.ui.theme import ThemeManager

DIMMED, GROUND = 0.55, 0.7
MARGIN, CORNER = 5, 7


@dataclass(frozen=True, slots=True)
class Lit:
    """A view that stays bright, and the part of it that is outlined, in the spotlight's px.

    The outline crosses no ``words``: it has a gap there.
    """

    view: QRectF
    part: QRectF | None
    words: tuple[QRectF, ...] = ()


class Spotlight(QWidget):
    """Lies over the views and lets the mouse through."""

    def __init__(self, look: ThemeManager, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._lit: tuple[Lit, ...] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        look.changed.connect(self.update)
        self.hide()

    @property
    def lit(self) -> tuple[Lit, ...]:
        """What is bright."""
        return self._lit

    def light(self, lit: Sequence[Lit]) -> None:
        """Leave these bright; without any, dim nothing."""
        if tuple(lit) != self._lit:
            self._lit = tuple(lit)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Dim all but the lit views, outline the parts."""
        if not self._lit:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        dim = QPainterPath()
        dim.addRect(QRectF(self.rect()))
        for lit in self._lit:
            bright = QPainterPath()
            bright.addRoundedRect(lit.view, CORNER, CORNER)
            dim = dim.subtracted(bright)
        painter.fillPath(dim, self._look.color("bg0", DIMMED))
        width = max(1.0, self._look.px(1))
        # A line of the ground's colour below the dashes: they show on cells of any colour.
        ground = QPen(self._look.color("bg0", GROUND), 3 * width)
        pen = QPen(self._look.color("cursor"), width, Qt.PenStyle.DashLine)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        grown = self._look.px(MARGIN)
        for lit in self._lit:
            if lit.part is None:
                continue
            box = lit.part.adjusted(-grown, -grown, grown, grown)
            box = box.intersected(QRectF(self.rect()).adjusted(1, 1, -1, -1))
            free = QPainterPath()
            free.addRect(QRectF(self.rect()))
            for words in lit.words:
                gap = QPainterPath()
                gap.addRect(words)
                free = free.subtracted(gap)
            painter.setClipPath(free)
            for line in (ground, pen):
                painter.setPen(line)
                painter.drawRoundedRect(box, self._look.px(CORNER), self._look.px(CORNER))
        painter.end()
