"""Lines of words that wrap, their numbers stressed; painted, as they change while one drags."""

import re
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, QSize, Slot
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
        self._tops: list[float] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        look.changed.connect(self._restyle)
        self._restyle()

    def show_lines(self, lines: tuple[str, ...]) -> None:
        """Show other lines."""
        if lines != self.lines:
            self.lines = lines
            self.setAccessibleName("Formula. " + ". ".join(lines))
            before = self._runs
            if not self._arrange():
                self._update_rows({run.row for run in {*before} ^ {*self._runs}})

    def sizeHint(self) -> QSize:
        """Return the height of all rows."""
        return QSize(self._look.px(300), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        if event.size().width() != event.oldSize().width():
            self._arrange()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the runs of each row on one baseline."""
        painter, look = QPainter(self), self._look
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        base = (look.px(LINE_UNITS) + self._plain.ascent() - self._plain.descent()) / 2
        rows = range(len(self._tops))
        asked = {row for row in rows if event.rect().intersects(self._row_box(row))}
        for strong in (False, True):
            painter.setFont(look.font(13, SEMIBOLD if strong else REGULAR))
            painter.setPen(look.color("text" if strong else "secondary"))
            for run in self._runs:
                if run.strong is strong and run.row in asked:
                    painter.drawText(QPointF(run.x, self._tops[run.row] + base), run.text)
        painter.end()

    def _arrange(self) -> bool:
        """Lay the words out, as many in a row as fit; return whether that takes another height."""
        self._runs, self._tops, top = [], [], 0.0
        for line in self.lines:
            first = len(self._tops)
            rows = self._wrap(line, first) + 1 - first
            self._tops += [top + n * self._look.px(LINE_UNITS) for n in range(rows)]
            top += rows * self._look.px(LINE_UNITS) + self._look.px(GAP_UNITS)
        height = round(top)
        if height == self.height():
            return False
        self.setFixedHeight(height)
        self.update()
        return True

    def _wrap(self, line: str, row: int) -> int:
        """Lay one line out from ``row`` on; return the last row it takes."""
        x, space = 0.0, self._width(" ", strong=False)
        for word in UNIT.sub(HARD_SPACE, line.replace(" x ", f" {TIMES} ")).split(" "):
            pieces = [(text, bool(n % 2)) for n, text in enumerate(RUNS.split(word)) if text]
            widths = [self._width(*piece) for piece in pieces]
            if x and x + sum(widths) > self.width():
                x, row = 0.0, row + 1
            for number, ((text, strong), width) in enumerate(zip(pieces, widths, strict=True)):
                self._put(Run(x, row, text, strong), " " if number == 0 else "")
                x += width
            x += space
        return row

    def _put(self, run: Run, gap: str) -> None:
        """Add a run; plain words that follow each other are one, which is drawn sooner."""
        before = self._runs[-1] if self._runs else None
        if before and before.row == run.row and not (before.strong or run.strong):
            self._runs[-1] = before._replace(text=before.text + gap + run.text)
        else:
            self._runs.append(run)

    def _width(self, text: str, strong: bool) -> float:
        if strong:  # numbers are others after each move, words hardly ever
            return self._bold.horizontalAdvance(text)
        if text not in self._widths:
            self._widths[text] = self._plain.horizontalAdvance(text)
        return self._widths[text]

    def _row_box(self, row: int) -> QRect:
        return QRect(0, round(self._tops[row]), self.width(), self._look.px(LINE_UNITS))

    def _update_rows(self, rows: set[int]) -> None:
        for row in rows:
            self.update(self._row_box(row))

    @Slot()
    def _restyle(self) -> None:
        self._plain = QFontMetricsF(self._look.font(13, REGULAR))
        self._bold = QFontMetricsF(self._look.font(13, SEMIBOLD))
        self._widths: dict[str, float] = {}
        self._arrange()
        self.update()
