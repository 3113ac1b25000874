"""One line of words in which some are stressed; what has no room is elided, never clipped."""

from math import ceil

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.ui.fonts import MEDIUM, REGULAR, SizeName
from kvviz.ui.theme import ThemeManager

Part = tuple[str, bool]  # text, whether it is stressed
Parts = tuple[Part, ...]


def plain(text: str) -> Parts:
    """Return words without stress."""
    return ((text, False),)


class RichLine(QWidget):
    """Shows parts one after the other; asks for all of its width and lives with none.

    A ``firm`` one keeps its width where others can give theirs.
    """

    def __init__(
        self,
        look: ThemeManager,
        *,
        size: SizeName = 13,
        tone: str = "secondary",
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        firm: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._size: SizeName = size
        self._tone = tone
        self._align = align
        self._firm = firm
        self._variants: tuple[Parts, ...] = ((),)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        look.changed.connect(self._on_look_changed)

    @property
    def text(self) -> str:
        """The words that are shown, as plain text."""
        return "".join(text for text, _ in self._shown())

    @property
    def is_elided(self) -> bool:
        """Whether some of it has no room."""
        return self._length(self._shown()) > self.width()

    def set_parts(self, *variants: Parts) -> None:
        """Show other words: the first of the ``variants`` that has room, or what fits of the last.

        They go from the longest to the shortest.
        """
        if (variants := variants or ((),)) != self._variants:
            self._variants = variants
            self.setAccessibleName("".join(text for text, _ in variants[0]))
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        """Return the room that nothing is elided in."""
        return QSize(ceil(self._length(self._variants[0])) + 1, self._height())

    def minimumSizeHint(self) -> QSize:
        """Return no width at all, but that of the shortest way to say it if it is firm."""
        width = ceil(self._length(self._variants[-1])) + 1 if self._firm else 0
        return QSize(width, self._height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint part by part on one baseline."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        parts = self._shown()
        length = self._length(parts)
        right = self._align is Qt.AlignmentFlag.AlignRight
        x = max(0.0, self.width() - length) if right else 0.0
        base = (self.height() + self._metrics(False).ascent() - self._metrics(False).descent()) / 2
        for text, stressed in parts:
            metrics = self._metrics(stressed)
            room = self.width() - x
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room + 0.5)
            painter.setFont(self._look.font(self._size, MEDIUM if stressed else REGULAR))
            painter.setPen(self._look.color("text" if stressed else self._tone))
            painter.drawText(QPointF(x, round(base)), shown)
            if shown != text:
                break
            x += metrics.horizontalAdvance(text)
        painter.end()

    def _metrics(self, stressed: bool) -> QFontMetricsF:
        return QFontMetricsF(self._look.font(self._size, MEDIUM if stressed else REGULAR))

    def _shown(self) -> Parts:
        fitting = (v for v in self._variants if self._length(v) <= self.width())
        return next(fitting, self._variants[-1])

    def _length(self, parts: Parts) -> float:
        return sum(self._metrics(bold).horizontalAdvance(text) for text, bold in parts)

    def _height(self) -> int:
        return self._look.px(20 if self._size == 13 else 16)

    def _on_look_changed(self) -> None:
        self.updateGeometry()
        self.update()
