"""A small drawing for each lesson, in the colours of the grid."""

from collections.abc import Callable

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from kvviz.ui.theme import ThemeManager

ROWS = 6


class Emblem:
    """Paints into a box; a name without a drawing of its own gets the grid."""

    def __init__(self, painter: QPainter, look: ThemeManager, box: QRectF) -> None:
        self._painter, self._look, self._box = painter, look, box

    def paint(self, name: str) -> None:
        """Paint the drawing of a lesson."""
        self._painter.save()
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._painter.setPen(Qt.PenStyle.NoPen)
        drawings: dict[str, Callable[[], None]] = {
            "one-token-at-a-time": self._tokens,
            "the-naive-loop": lambda: self._stairs(lambda _row, _key: "decode"),
            "prefill-and-decode": lambda: self._stairs(_by_phase),
            "what-is-in-the-cache": self._slots,
            "same-tokens": self._twins,
            "what-it-weighs": self._line,
            "fewer-kv-heads": self._heads,
            "concat-preallocate-page": self._blocks,
            "does-order-matter": self._shuffle,
            "a-window-and-its-sinks": lambda: self._stairs(_by_window),
            "flash-attention-in-tiles": self._tiles,
            "sharing-a-prefix": self._prefix,
        }
        drawings.get(name, lambda: self._stairs(_by_phase))()
        self._painter.restore()

    def _cell(self, column: float, row: float, tone: str, side: float, wide: float = 1.0) -> None:
        x, y = self._box.left() + column * side, self._box.top() + row * side
        self._painter.setBrush(self._look.color(tone))
        self._painter.drawRoundedRect(QRectF(x, y, wide * side - 2, side - 2), 2, 2)

    def _stairs(self, tone: Callable[[int, int], str]) -> None:
        side = self._box.height() / ROWS
        for row in range(ROWS):
            for key in range(ROWS):
                self._cell(key, row, "masked" if key > row else tone(row, key), side)

    def _tokens(self) -> None:
        side = self._box.height() / 5
        for row, count in enumerate((3, 4, 5)):
            for place in range(count):
                tone = "prefill" if place < 3 else "decode"
                self._cell(place * 1.6, 0.3 + row * 1.6, tone, side, 1.5)

    def _slots(self) -> None:
        side = self._box.height() / ROWS
        for row in range(ROWS):
            for place in range(12):
                tone = "prefill" if place < 5 else "decode" if place < 8 else "not_yet"
                self._cell(place, row, tone, side)

    def _twins(self) -> None:
        side = self._box.height() / 4
        for row in (0.3, 2.6):
            for place in range(6):
                self._cell(place, row, "ghost" if row < 1 else "decode", side)
        self._painter.setPen(QPen(self._look.color("good"), 2))
        middle = self._box.top() + 1.75 * side
        for offset in (-3, 3):
            x = self._box.left() + 2.5 * side
            self._painter.drawLine(QLineF(x, middle + offset, x + side, middle + offset))

    def _line(self) -> None:
        box = self._box
        self._painter.setPen(QPen(self._look.color("ghost"), 1.5, Qt.PenStyle.DashLine))
        self._painter.drawLine(
            QLineF(box.left(), box.bottom(), box.left() + box.height() * 2, box.top())
        )
        self._painter.setPen(Qt.PenStyle.NoPen)
        for place in range(9):
            self._painter.setBrush(self._look.color("prefill" if place < 3 else "decode"))
            share = 0.1 + place * 0.08
            x, y = box.left() + share * box.height() * 2, box.bottom() - share * box.height()
            self._painter.drawEllipse(QPointF(x, y), 3, 3)

    def _heads(self) -> None:
        box, step = self._box, self._box.height() / 3
        self._painter.setPen(QPen(self._look.color("ghost"), 1.5))
        for head in range(6):
            start = QPointF(box.left() + (head + 0.5) * step, box.top() + 8)
            end = QPointF(box.left() + (1.5 + 3 * (head // 3)) * step, box.bottom() - 8)
            self._painter.drawLine(QLineF(start, end))
        self._painter.setPen(Qt.PenStyle.NoPen)
        for head in range(6):
            self._painter.setBrush(self._look.color("text"))
            self._painter.drawEllipse(
                QPointF(box.left() + (head + 0.5) * step, box.top() + 8), 5, 5
            )
        for place in (1.5, 4.5):
            self._painter.setBrush(self._look.color("decode"))
            self._painter.drawEllipse(QPointF(box.left() + place * step, box.bottom() - 8), 7, 7)

    def _blocks(self) -> None:
        side = self._box.height() / 4
        used = {0: "prefill", 1: "prefill", 2: "prefill", 5: "decode", 6: "decode", 11: "decode"}
        for place in range(16):
            row, column = divmod(place, 8)
            self._cell(column, row * 1.8 + 0.3, used.get(place, "not_yet"), side)

    def _shuffle(self) -> None:
        heights = ((2, 4, 1, 5, 3), (5, 1, 3, 2, 4))
        side = self._box.height() / 6
        for part, order in enumerate(heights):
            for place, height in enumerate(order):
                x = self._box.left() + (place + part * 7) * side
                box = QRectF(x, self._box.bottom() - height * side, side - 2, height * side)
                self._painter.setBrush(self._look.color("prefill" if part == 0 else "decode"))
                self._painter.drawRoundedRect(box, 2, 2)

    def _tiles(self) -> None:
        self._stairs(lambda row, key: "decode" if (row // 2, key // 2) == (1, 0) else "not_yet")
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.setPen(QPen(self._look.color("cursor"), 2))
        side = self._box.height() / ROWS
        place = QRectF(self._box.left(), self._box.top() + 2 * side, 2 * side - 2, 2 * side - 2)
        self._painter.drawRoundedRect(place.adjusted(-2, -2, 2, 2), 4, 4)

    def _prefix(self) -> None:
        side = self._box.height() / 5
        for place in range(4):
            self._cell(place, 2, "prefill", side)
        for row in (0.8, 3.2):
            for place in range(4):
                self._cell(4.4 + place, row, "decode", side)


def _by_phase(row: int, _key: int) -> str:
    return "prefill" if row < 2 else "decode"


def _by_window(row: int, key: int) -> str:
    return "decode" if row - key < 3 else "prefill" if key == 0 else "not_yet"
