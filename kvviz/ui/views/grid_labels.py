"""Tokens, or their places, along the rows and the columns."""

from collections.abc import Iterable, Sequence
from math import ceil, cos, radians, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from kvviz.ui.fonts import MEDIUM, SEMIBOLD
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.grid_camera import GridCamera
from kvviz.ui.views.pieces import spoken

TURN = 55.0  # degrees that column labels rise by
ROW_LINE, KEY_LINE = 10.5, 16.0  # px a cell from which every row, every column has its word
LINES_APART = 14.0  # px that a label which must be seen keeps free on both sides
NUMBERS_APART = 44.0
WORDS_EVERY = 2  # beyond every second one, places say more than words
STRIDES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
WIDEST = 1.7  # average widths that a letter may take, some rare ones aside
ACROSS = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
BESIDE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class GridLabels:
    """Writes row labels left of a viewport and column labels above it, ``width`` px in all.

    ``pieces`` are the tokens that have a label, from the first on.  Made for one painting.
    """

    def __init__(
        self, look: ThemeManager, camera: GridCamera, pieces: Sequence[str], width: float
    ) -> None:
        self._look = look
        self._camera = camera
        self._pieces = pieces
        self._width = width
        fonts = (look.font(11), look.font(11, MEDIUM), look.font(11, SEMIBOLD))
        self._fonts = [(font, QFontMetricsF(font)) for font in fonts]
        self._strides = tuple(
            max(1, ceil(line * look.zoom / camera.cell)) for line in (ROW_LINE, KEY_LINE)
        )
        self.in_words = self._strides[0] <= WORDS_EVERY  # else places are numbered
        if not self.in_words:
            least = NUMBERS_APART * look.zoom / camera.cell
            stride = next((stride for stride in STRIDES if stride >= least), STRIDES[-1])
            self._strides = (stride, stride)

    def paint(self, painter: QPainter, newest: range, pointed: set[int]) -> None:
        """Write them; the ``newest`` rows in the cursor's colour, the ``pointed`` ones lit."""
        pointed = {token for token in pointed if token < self._camera.side}
        forced = pointed | set(newest[-1:])
        for row in self._shown(self._camera.rows, forced, LINES_APART, self._strides[0]):
            strength = 2 if row in newest else 1 if row in pointed else 0
            self._paint_row(painter, row, strength, row in forced)
        apart = LINES_APART if self.in_words else NUMBERS_APART
        for key in self._shown(self._camera.keys, pointed, apart, self._strides[1]):
            self._paint_key(painter, key, key in pointed)

    def row_text(self, row: int) -> str:
        """What a row's label says when nothing else forces it."""
        return self._text(row, False)

    def shown_rows(self, forced: Iterable[int] = ()) -> list[int]:
        """Rows that have a label, the ``forced`` ones among them."""
        rows = self._camera.rows
        return sorted(self._shown(rows, set(forced), LINES_APART, self._strides[0]))

    def _shown(
        self, span: tuple[int, int], forced: set[int], apart: float, stride: int
    ) -> list[int]:
        first, last = span
        known = min(last, len(self._pieces)) if self.in_words else last
        # Words of neighbouring cells may stand close; they are a cell apart at least.
        free = ceil(apart * self._look.zoom * (0.7 if self.in_words else 1) / self._camera.cell)
        regular = range(-(-first // stride) * stride, known, stride)
        kept = [place for place in regular if all(abs(place - f) >= free for f in forced)]
        return kept + [place for place in forced if first <= place < last]

    def _text(self, place: int, forced: bool) -> str:
        if (self.in_words or forced) and place < len(self._pieces):
            return spoken(self._pieces[place])
        return f"{place:,}"

    def _paint_row(self, painter: QPainter, row: int, strength: int, forced: bool) -> None:
        px, view = self._look.px, self._camera.viewport
        middle = self._middle(self._camera.y(row), forced)
        if not view.top() <= middle <= view.bottom():
            return
        room = view.left() - px(8)
        text = self._write(painter, strength, self._text(row, forced), room)
        painter.setPen(self._look.color(("secondary", "text", "cursor")[strength]))
        painter.drawText(QRectF(0, middle - px(9), room, px(18)), BESIDE, text)

    def _paint_key(self, painter: QPainter, key: int, pointed: bool) -> None:
        px, view = self._look.px, self._camera.viewport
        middle = self._middle(self._camera.x(key), pointed)
        if not view.left() <= middle <= view.right():
            return
        painter.setPen(self._look.color("text" if pointed else "secondary"))
        words = self._text(key, pointed)
        if not self.in_words:
            room = float(px(NUMBERS_APART))
            left = max(0.0, min(middle - room, self._width - 2 * room))
            text = self._write(painter, int(pointed), words, 2 * room)
            box = QRectF(left, 0, 2 * room, view.top() - px(9))
            painter.drawText(box, ACROSS, text)
            return
        foot = QPointF(middle + px(1), view.top() - px(9))
        angle = radians(TURN)
        room = min((foot.y() - px(8)) / sin(angle), (self._width - foot.x() - px(8)) / cos(angle))
        painter.save()
        painter.translate(foot)
        painter.rotate(-TURN)
        text = self._write(painter, int(pointed), words, room)
        painter.drawText(QPointF(0, px(4)), text)
        painter.restore()

    def _middle(self, edge: float, forced: bool) -> float:
        # A numbered place stands at its cell's edge as a chart's tick does, a word at its cell.
        return edge + self._camera.cell / 2 if self.in_words or forced else edge

    def _write(self, painter: QPainter, strength: int, text: str, room: float) -> str:
        font, metrics = self._fonts[strength]
        if painter.font() != font:
            painter.setFont(QFont(font))
        # Measured only where it might be too long: a painting writes a hundred labels.
        if len(text) * metrics.averageCharWidth() * WIDEST <= room:
            return text
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
