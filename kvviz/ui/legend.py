"""What the tags beside numbers mean, and the colours of the picture."""

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.section_header import SectionHeader
from kvviz.ui.widgets.tag import MEANING, Tag

SIDE = 14
COLOURS = {
    "prefill": "Blue, prefill: the whole prompt in one pass.",
    "decode": "Red, decode: one token a pass, one row each.",
    "masked": "Black, masked: a token never sees the future.",
    "cursor": "Amber outline: where you are.",
}


class Swatch(QWidget):
    """A cell as the grid draws it."""

    def __init__(self, look: ThemeManager, token: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._token = token
        look.changed.connect(self._on_look_changed)

    def sizeHint(self) -> QSize:
        """Return the size of one cell."""
        return QSize(self._look.px(SIDE), self._look.px(SIDE))

    def minimumSizeHint(self) -> QSize:
        """Return the size hint."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill the cell; the cursor is an outline, and black needs an edge on a dark ground."""
        zoom, color = self._look.zoom, self._look.color
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        outlined = self._token == "cursor"
        edge = {"cursor": "cursor", "masked": "ghost"}.get(self._token, self._token)
        painter.setPen(QPen(color(edge), (2 if outlined else 1) * zoom))
        painter.setBrush(Qt.BrushStyle.NoBrush if outlined else color(self._token))
        side = self._look.px(SIDE) - 2 * zoom
        painter.drawRoundedRect(QRectF(zoom, zoom, side, side), 2 * zoom, 2 * zoom)
        painter.end()

    @Slot()
    def _on_look_changed(self) -> None:
        self.updateGeometry()
        self.update()


class Legend(QWidget):
    """Tags on the left, colours on the right."""

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._columns: list[QVBoxLayout] = []
        self._grids: list[QGridLayout] = []
        tags = {word: (Tag(look, word), text.partition(": ")[2]) for word, text in MEANING.items()}
        colours = {token: (Swatch(look, token), text) for token, text in COLOURS.items()}
        self._add("Numbers", list(tags.values()))
        self._add("Colours", list(colours.values()))
        look.changed.connect(self._restyle)
        self._restyle()

    def _add(self, title: str, lines: list[tuple[Tag, str]] | list[tuple[Swatch, str]]) -> None:
        grid = QGridLayout()
        for row, (mark, text) in enumerate(lines):
            label = Label(self._look, text[:1].upper() + text[1:], tone="secondary")
            label.setWordWrap(True)
            grid.addWidget(mark, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label, row, 1)
        grid.setColumnStretch(1, 1)
        column = QVBoxLayout()
        column.addWidget(SectionHeader(self._look, title))
        column.addLayout(grid)
        column.addStretch(1)
        self._row.addLayout(column, 1)
        self._columns.append(column)
        self._grids.append(grid)

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._row.setSpacing(px(40))
        for column in self._columns:
            column.setSpacing(px(10))
        for grid in self._grids:
            grid.setHorizontalSpacing(px(12))
            grid.setVerticalSpacing(px(8))
