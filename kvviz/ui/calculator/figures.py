"""What follows from the answer, in two columns of named numbers."""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.session.calculator.words import figure_rows
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.fonts import SEMIBOLD
from kvviz.ui.theme import ThemeManager

ROW_UNITS, GAP_UNITS = 32, 32
Rows = list[tuple[str, str]]


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
        before = self._lines()
        self.columns = figure_rows(self._desk.calculator)
        said = [f"{name}: {value}" for rows in self.columns for name, value in rows]
        self.setAccessibleName("Figures. " + ". ".join(said))
        if self._lines() != before:
            self.updateGeometry()
        self.update()

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
        gap = self._look.px(GAP_UNITS)
        takes, fits = self.columns
        if self._narrow:
            self._paint_rows(painter, [*takes, *fits], 0, self.width())
        else:
            # The names at the right are the longer ones.
            left = round((self.width() - gap) * 0.44)
            self._paint_rows(painter, takes, 0, left)
            self._paint_rows(painter, fits, left + gap, self.width() - left - gap)
        painter.end()

    @property
    def _narrow(self) -> bool:
        return self.width() < self._look.px(440)

    def _lines(self) -> int:
        counts = [len(rows) for rows in self.columns]
        return sum(counts) if self._narrow else max(counts)

    def _paint_rows(self, painter: QPainter, rows: Rows, left: int, width: int) -> None:
        look, height = self._look, self._look.px(ROW_UNITS)
        flags = Qt.AlignmentFlag.AlignVCenter
        for number, (name, value) in enumerate(rows):
            top = number * height
            strong = look.font(13, SEMIBOLD)
            painter.setFont(strong)
            painter.setPen(look.color("text"))
            right = flags | Qt.AlignmentFlag.AlignRight
            painter.drawText(left, top, width, height - 1, right, value)
            taken = painter.fontMetrics().horizontalAdvance(value) + look.px(8)
            painter.setFont(look.font(13))
            painter.setPen(look.color("secondary"))
            shown = painter.fontMetrics().elidedText(
                name, Qt.TextElideMode.ElideRight, width - taken
            )
            painter.drawText(left, top, width, height - 1, flags, shown)
            painter.setPen(QPen(look.color("line"), 1))
            painter.drawLine(left, top + height - 1, left + width, top + height - 1)

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
