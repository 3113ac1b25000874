"""What the tags beside numbers mean, and the colours of the picture."""

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.glossary import Glossary
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


class Legend(Glossary):
    """Tags on the left, colours on the right."""

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(look, parent=parent)
        tags = {word: text.partition(": ")[2] for word, text in MEANING.items()}
        self.add_column(
            {
                "Numbers": [
                    (Tag(look, word), f"{text[:1].upper()}{text[1:]}")
                    for word, text in tags.items()
                ]
            }
        )
        self.add_column(
            {"Colours": [(Swatch(look, token), text) for token, text in COLOURS.items()]}
        )
