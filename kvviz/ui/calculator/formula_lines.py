"""Lines of words that wrap, their numbers stressed; painted, as they change while one drags."""

import re
from typing import NamedTuple

from PySide6.QtCore import QPointF, QSize, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.ui.fonts import REGULAR, SEMIBOLD
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import TIMES

UNIT = re.compile(r"(?<=\d) (?=[KMGT]?i?B\b)")  # a number and its unit stay together
RUNS = re.compile(r"(\d[\d,]*(?:\.\d+)?)")
HARD_SPACE = "\N{NO-BREAK SPACE}"
LINE_UNITS, GAP_UNITS = 22, 4


class Run(NamedTuple):
    """Text at a place of its row."""

    x: float
    row: int
    text: str
    strong: bool


class FormulaLines(QWidget):
    """As high as its lines at the width it has."""

    def __init__(self, look: ThemeManager) -> None:
        super().__init__()
        self._look = look
        self.lines: tuple[str, ...] = ()
        self._runs: list[Run] = []
        self._breaks: list[int] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        look.changed.connect(self._restyle)
        self._restyle()

    def show_lines(self, lines: tuple[str, ...]) -> None:
        """Show other lines."""
        if lines != self.lines:
            self.lines = lines
            self.setAccessibleName("Formula. " + ". ".join(lines))
            self._arrange()

    def sizeHint(self) -> QSize:
        """Return the height of all rows."""
        return QSize(self._look.px(300), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        if event.size().width() != event.oldSize().width():
            self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the runs of each row on one baseline."""
        painter, look = QPainter(self), self._look
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        base = (look.px(LINE_UNITS) + self._plain.ascent() - self._plain.descent()) / 2
        for strong in (False, True):
            painter.setFont(look.font(13, SEMIBOLD if strong else REGULAR))
            painter.setPen(look.color("text" if strong else "secondary"))
            for run in self._runs:
                if run.strong is strong:
                    painter.drawText(QPointF(run.x, self._top(run.row) + base), run.text)
        painter.end()

    def _arrange(self) -> None:
        """Lay the words out, as many in a row as fit."""
        self._runs, self._breaks, row = [], [], 0
        for line in self.lines:
            row = self._wrap(line, row) + 1
            self._breaks.append(row)
        height = round(self._top(row)) if row else 0
        if height != self.height():
            self.setFixedHeight(height)
        self.update()

    def _wrap(self, line: str, row: int) -> int:
        """Lay one line out from ``row`` on; return the last row it takes."""
        x, space = 0.0, self._plain.horizontalAdvance(" ")
        for word in UNIT.sub(HARD_SPACE, line.replace(" x ", f" {TIMES} ")).split(" "):
            pieces = [(text, bool(n % 2)) for n, text in enumerate(RUNS.split(word)) if text]
            widths = [self._width(*piece) for piece in pieces]
            if x and x + sum(widths) > self.width():
                x, row = 0.0, row + 1
            for (text, strong), width in zip(pieces, widths, strict=True):
                self._runs.append(Run(x, row, text, strong))
                x += width
            x += space
        return row

    def _width(self, text: str, strong: bool) -> float:
        if strong:  # numbers are others after each move, words hardly ever
            return self._bold.horizontalAdvance(text)
        if text not in self._widths:
            self._widths[text] = self._plain.horizontalAdvance(text)
        return self._widths[text]

    def _top(self, row: int) -> float:
        """Where a row begins: rows of one line stand closer than lines."""
        lines_before = sum(end <= row for end in self._breaks)
        return row * self._look.px(LINE_UNITS) + lines_before * self._look.px(GAP_UNITS)

    @Slot()
    def _restyle(self) -> None:
        self._plain = QFontMetricsF(self._look.font(13, REGULAR))
        self._bold = QFontMetricsF(self._look.font(13, SEMIBOLD))
        self._widths: dict[str, float] = {}
        self._arrange()
