"""The rows of a batch side by side: padding, prompt, answer, and what they say."""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.session.batch_report import BatchRow
from kvviz.sizing.units import count_text
from kvviz.ui.fonts import REGULAR, SEMIBOLD
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.explained_view import Explained
from kvviz.ui.views.textures import fill_rect, hatch

ROW, LEAST_ROW, MOST_HEIGHT = 18, 9, 112
WORDS_FROM = 14  # px of a row at zoom 1
NUMBER, BAR_SHARE = 18, 0.42
ARROW = " → "


class BatchBars(Explained):
    """A bar and its words for each row; ``chosen(place)`` when one that is not shown is clicked."""

    chosen = Signal(int)

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.rows: tuple[BatchRow, ...] = ()
        self._places = 1
        self._say: Callable[[tuple[int, ...]], str] = lambda ids: ""
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Rows of the batch")
        look.changed.connect(self._on_look_changed)

    def show_rows(
        self, rows: tuple[BatchRow, ...], places: int, say: Callable[[tuple[int, ...]], str]
    ) -> None:
        """Show rows of at most ``places`` tokens; ``say`` gives the text of what they chose."""
        more = len(rows) != len(self.rows)
        self.rows, self._places, self._say = rows, max(1, places), say
        self.setAccessibleDescription(" ".join(map(row_sentence, rows)))
        if more:
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for every row, lower ones where there are many."""
        return QSize(self._look.px(300), round(self._row_height * len(self.rows)))

    def row_at(self, position: QPointF) -> BatchRow | None:
        """Return the row under ``position``."""
        index = int(position.y() // self._row_height)
        return self.rows[index] if 0 <= index < len(self.rows) else None

    def spans(self, row: BatchRow) -> list[tuple[str, float, float]]:
        """Return what a bar is made of: a token or hatch by name, from and to as shares."""
        ends = [0]
        for count in (row.padding, row.prompt, row.answer, row.empty):
            ends.append(ends[-1] + count)
        names = ("padding", "prefill", "decode", "empty")
        parts = zip(names, ends, ends[1:], strict=False)
        return [(name, a / self._places, b / self._places) for name, a, b in parts if b > a]

    def explained(self, position: QPointF) -> str:
        """Return what the row under ``position`` holds."""
        row = self.row_at(position)
        return row_sentence(row) if row else ""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show that a row can be chosen."""
        row = self.row_at(event.position())
        other = row is not None and not row.shown
        self.setCursor(Qt.CursorShape.PointingHandCursor if other else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the row under the mouse."""
        row = self.row_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and row is not None and not row.shown:
            self.chosen.emit(row.place)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint row by row."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        for index, row in enumerate(self.rows):
            self._paint_row(painter, row, round(index * self._row_height))
        painter.end()

    @property
    def _row_height(self) -> float:
        height = min(ROW, max(LEAST_ROW, MOST_HEIGHT / max(1, len(self.rows))))
        return height * self._look.zoom

    def _paint_row(self, painter: QPainter, row: BatchRow, top: int) -> None:
        look, height = self._look, self._row_height
        left, width = look.px(NUMBER), self.width() * BAR_SHARE
        worded = height >= look.px(WORDS_FROM)
        inset = height * 0.2
        for name, start, end in self.spans(row):
            box = QRectF(left + start * width, top + inset, (end - start) * width, height * 0.6)
            if name in ("prefill", "decode"):
                painter.fillRect(box, look.color(name))
            else:
                ratio = self.devicePixelRatioF()
                tile = hatch(look.color("muted", 0.8), 4 * ratio, ratio)
                fill_rect(painter, box, tile, ratio)
        painter.setFont(look.font(11, SEMIBOLD if row.shown else REGULAR))
        if not worded:
            if row.shown:
                painter.fillRect(
                    QRectF(0, top + inset, look.px(4), height * 0.6), look.color("cursor")
                )
            return
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(look.color("cursor" if row.shown else "secondary"))
        painter.drawText(QRectF(0, top, left, height), middle, f"{row.place + 1}")
        self._paint_words(painter, row, QRectF(left + width + look.px(10), top, 0, height))

    def _paint_words(self, painter: QPainter, row: BatchRow, room: QRectF) -> None:
        look, middle = self._look, Qt.AlignmentFlag.AlignVCenter
        painter.setFont(look.font(11))
        metrics = QFontMetricsF(painter.font())
        room.setRight(self.width())
        answer = " ".join(self._say(row.answer_ids).split())
        prompt = " ".join(row.text.split())
        half = room.width() * (0.5 if answer else 1.0)
        prompt = metrics.elidedText(prompt, Qt.TextElideMode.ElideLeft, half)
        painter.setPen(look.color("text" if row.shown else "secondary"))
        painter.drawText(room, middle, prompt)
        room.setLeft(room.left() + metrics.horizontalAdvance(prompt))
        if answer:
            painter.setPen(look.color("decode"))
            words = metrics.elidedText(ARROW + answer, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, middle, words)

    def _on_look_changed(self) -> None:
        self.updateGeometry()
        self.update()


def row_sentence(row: BatchRow) -> str:
    """Say what a row holds."""
    said = [count_text(row.prompt, "prompt token"), f"{row.answer:,} of its answer"]
    if row.padding:
        said.insert(0, f"{count_text(row.padding, 'place')} of padding")
    if row.empty:
        said.append(f"{count_text(row.empty, 'empty slot')} in its last block")
    shown = (
        "It is the one recorded: grid, map and charts show it."
        if row.shown
        else "Click to run the batch again with this row recorded and shown."
    )
    return f"Row {row.place + 1}: {', '.join(said)}. {shown}"
