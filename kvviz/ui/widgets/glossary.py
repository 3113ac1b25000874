"""Marks and what they mean, group by group in columns."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.section_header import SectionHeader

Line = tuple[QWidget, str]  # a mark, and its sentence


class Glossary(QWidget):
    """Columns of equal width; marks are ``mark_units`` wide at least, px at zoom 1."""

    def __init__(
        self, look: ThemeManager, mark_units: int = 0, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look, self._mark_units = look, mark_units
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._columns: list[QVBoxLayout] = []
        self._grids: list[QGridLayout] = []
        look.changed.connect(self._restyle)

    def add_column(self, groups: dict[str, list[Line]]) -> None:
        """Put a column at the right: titles, and the lines below each."""
        column = QVBoxLayout()
        for title, lines in groups.items():
            column.addWidget(SectionHeader(self._look, title))
            column.addLayout(self._grid(lines))
        column.addStretch(1)
        self._columns.append(column)
        self._row.addLayout(column, 1)
        self._restyle()

    def _grid(self, lines: list[Line]) -> QGridLayout:
        grid = QGridLayout()
        for row, (mark, sentence) in enumerate(lines):
            label = Label(self._look, sentence, tone="secondary")
            label.setWordWrap(True)
            grid.addWidget(mark, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label, row, 1)
        grid.setColumnStretch(1, 1)
        self._grids.append(grid)
        return grid

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._row.setSpacing(px(40))
        for column in self._columns:
            column.setSpacing(px(10))
        for grid in self._grids:
            grid.setHorizontalSpacing(px(14))
            grid.setVerticalSpacing(px(6))
            grid.setColumnMinimumWidth(0, px(self._mark_units))
            grid.setContentsMargins(0, 0, 0, px(8))
