"""All keys, in two columns."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from kvviz.ui.fonts import MEDIUM
from kvviz.ui.keys import APP, FILE, KEYS, LESSON, RUN, VIEW
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.section_header import SectionHeader

COLUMNS = ((RUN, LESSON, APP), (VIEW, FILE))  # about as many lines in each


class KeyTable(QWidget):
    """Groups of keys: the key, and what it does."""

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._columns: list[QVBoxLayout] = []
        self._grids: list[QGridLayout] = []
        for groups in COLUMNS:
            column = QVBoxLayout()
            for group in groups:
                self._add_group(column, group)
            column.addStretch(1)
            self._columns.append(column)
            self._row.addLayout(column, 1)
        look.changed.connect(self._restyle)
        self._restyle()

    def _add_group(self, column: QVBoxLayout, group: str) -> None:
        grid = QGridLayout()
        for row, (text, sentence) in enumerate(lines_of(group)):
            grid.addWidget(Label(self._look, text, weight=MEDIUM), row, 0)
            grid.addWidget(Label(self._look, sentence, tone="secondary"), row, 1)
        grid.setColumnStretch(1, 1)
        column.addWidget(SectionHeader(self._look, group))
        column.addLayout(grid)
        self._grids.append(grid)

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._row.setSpacing(px(40))
        for column in self._columns:
            column.setSpacing(px(10))
        for grid in self._grids:
            grid.setHorizontalSpacing(px(16))
            grid.setVerticalSpacing(px(6))
            grid.setColumnMinimumWidth(0, px(112))
            grid.setContentsMargins(0, 0, 0, px(12))
            for row in range(grid.rowCount()):
                item = grid.itemAtPosition(row, 0)
                if item is not None:
                    item.setAlignment(Qt.AlignmentFlag.AlignTop)


def lines_of(group: str) -> list[tuple[str, str]]:
    """Return (keys, sentence) of a group, keys of one sentence in one line."""
    lines: dict[str, str] = {}
    for key in KEYS:
        if key.group == group:
            lines.setdefault(key.sentence, key.text)
    return [(text, sentence) for sentence, text in lines.items()]
