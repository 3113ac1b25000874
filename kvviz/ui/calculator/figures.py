"""What follows from the answer, in two columns of named numbers."""

from PySide6.QtCore import QRect, QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.session.calculator.words import figure_rows
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.fonts import SEMIBOLD
from kvviz.ui.theme import ThemeManager

ROW_UNITS, GAP_UNITS = 32, 32
Row = tuple[str, str]
Rows = list[Row]


class Figures(QWidget):
    """At the left what the cache takes, at the right what fits; one below the other if narrow."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__()
        self._desk, self._look = desk, look
        self.columns: tuple[Rows, Rows] = ([], [])
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip(
            "<qt>What the cache takes, and the inverse answers: what fits into one GPU beside "
            "the weights and the allowance.</qt>"
        )
        desk.changed.connect(self.refresh)
        look.changed.connect(self._restyle)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Read the answer."""
        before = self._places()
        self.columns = figure_rows(self._desk.calculator)
        said = [f"{name}: {value}" for rows in self.columns for name, value in rows]
        self.setAccessibleName("Figures. " + ". ".join(said))
        after = self._places()
        if len(after) != len(before):
            self.updateGeometry()
            self.update()
        for old, (row, box) in zip(before, after, strict=False):
            if old != (row, box):
                self.update(box)

    def sizeHint(self) -> QSize:
        """Return the height of the longer column."""
        return QSize(self._look.px(400), self._look.px(ROW_UNITS) * self._lines())

    def minimumSizeHint(self) -> QSize:
        """Return the width of one column."""
        return QSize(self._look.px(240), self.sizeHint().height())

    def resizeEvent(self, event: object) -> None:
        """Ask for another height where the columns come to lie below each other."""
        self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw names, values and a hairline under each."""
        painter = QPainter(self)
        for row, box in self._places():
            if event.rect().intersects(box):
                self._paint_row(painter, row, box)
        painter.end()

    @property
    def _narrow(self) -> bool:
        return self.width() < self._look.px(440)

    def _lines(self) -> int:
        counts = [len(rows) for rows in self.columns]
        return sum(counts) if self._narrow else max(counts)

    def _places(self) -> list[tuple[Row, QRect]]:
        """Return each row with its box."""
        takes, fits = self.columns
        if self._narrow:
            return self._down([*takes, *fits], 0, self.width())
        gap = self._look.px(GAP_UNITS)
        # The names at the right are the longer ones.
        left = round((self.width() - gap) * 0.44)
        return self._down(takes, 0, left) + self._down(fits, left + gap, self.width() - left - gap)

    def _down(self, rows: Rows, left: int, width: int) -> list[tuple[Row, QRect]]:
        height = self._look.px(ROW_UNITS)
        return [(row, QRect(left, n * height, width, height)) for n, row in enumerate(rows)]

    def _paint_row(self, painter: QPainter, row: Row, box: QRect) -> None:
        look, (name, value) = self._look, row
        inner, flags = box.adjusted(0, 0, 0, -1), Qt.AlignmentFlag.AlignVCenter
        painter.setFont(look.font(13, SEMIBOLD))
        painter.setPen(look.color("text"))
        painter.drawText(inner, flags | Qt.AlignmentFlag.AlignRight, value)
        taken = painter.fontMetrics().horizontalAdvance(value) + look.px(8)
        painter.setFont(look.font(13))
        painter.setPen(look.color("secondary"))
        shown = painter.fontMetrics().elidedText(
            name, Qt.TextElideMode.ElideRight, box.width() - taken
        )
        painter.drawText(inner, flags, shown)
        painter.setPen(QPen(look.color("line"), 1))
        painter.drawLine(box.left(), box.bottom(), box.left() + box.width(), box.bottom())

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
