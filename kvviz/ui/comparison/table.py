"""The runs of a comparison, one a row: figures, and a bar of what each holds."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from kvviz.session.comparison_table import ComparisonTable
from kvviz.session.comparison_text import layout_words, set_names
from kvviz.session.runs import Run
from kvviz.ui.changes import Change
from kvviz.ui.comparison.bytes_bar import BytesBar
from kvviz.ui.comparison.table_words import (
    PAIRS,
    cell_tooltip,
    groups,
    head_tooltip,
    pair_texts,
    row_state,
)
from kvviz.ui.fonts import MEDIUM, REGULAR
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.explained_view import ExplainedView

HEAD, ROW = 54, 52  # px at zoom 1
PAD, GAP = 10, 6
NAME_SHARE, LEAST_NAME, LEAST_CELL = 0.24, 140, 56
BAR_TOP, BAR_HEIGHT = 39, 6
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
KEYS = "Keys: Up and Down show another run, Enter goes to its grid."


class TableView(ExplainedView):
    """A press shows the run; the best figure of a column is written strong."""

    concerns = Change.RUNS | Change.STEPS

    def __init__(self, store: Store, look: ThemeManager) -> None:
        super().__init__(store, look)
        self.table = ComparisonTable()
        self._names: tuple[str, ...] = ()
        self._pointed: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Compared layouts")
        self.read(Change.ALL)

    # What it can be asked

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs, top first."""
        return tuple(row.run for row in self.table.rows)

    def row_at(self, y: float) -> int | None:
        """Return the row at a height."""
        place = int((y - self.look.px(HEAD)) // self.look.px(ROW))
        return place if y >= self.look.px(HEAD) and place < len(self.table.rows) else None

    def row_box(self, place: int) -> QRectF:
        """Return where a row is."""
        px = self.look.px
        return QRectF(0, px(HEAD) + place * px(ROW), self.width(), px(ROW))

    def cell_box(self, column: int) -> QRectF:
        """Return the place of a column, from the top to the last row."""
        px, left = self.look.px, self._name_width()
        width = (self.width() - px(PAD) - left) / len(PAIRS)
        return QRectF(left + column * width, 0, width, self.height())

    def sizeHint(self) -> QSize:
        """Return room for the rows there are."""
        px = self.look.px
        rows = max(2, len(self.table.rows))
        return QSize(px(LEAST_NAME + PAD + len(PAIRS) * 64), px(HEAD) + rows * px(ROW))

    def minimumSizeHint(self) -> QSize:
        """Return the least in which figures stay apart."""
        width = self.look.px(LEAST_NAME + PAD + len(PAIRS) * LEAST_CELL)
        return QSize(width, self.sizeHint().height())

    # Keeping up

    def read(self, changes: Change) -> None:
        """Take the runs of the comparison on screen."""
        before = len(self.table.rows)
        self.table.follow(self.store.runs.compared)
        self._names = set_names(self.runs)
        if len(self.table.rows) != before:
            self.updateGeometry()
        said = map(self._said, range(len(self._names)))
        self.setAccessibleDescription(". ".join([*said, KEYS]))
        self.update()

    def _said(self, place: int) -> str:
        texts = (text for pair in PAIRS for text in pair_texts(self.table, place, pair))
        return f"{self._names[place]}: {', '.join(filter(None, texts))}"

    # Mouse and keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light the row under the mouse."""
        self._point(self.row_at(event.position().y()))

    def leaveEvent(self, event: QEvent) -> None:
        """Light none."""
        self._point(None)
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Show the run of the row."""
        place = self.row_at(event.position().y())
        if event.button() is Qt.MouseButton.LeftButton and place is not None:
            self._show(place)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Go to the run's grid."""
        if self.row_at(event.position().y()) is not None:
            self.store.show_comparison(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from row to row, or to the grid of the one shown."""
        runs, shown = self.runs, self.store.shown
        here = runs.index(shown) if shown in runs else -1
        if event.key() == Qt.Key.Key_Down:
            self._show(min(here + 1, len(runs) - 1))
        elif event.key() == Qt.Key.Key_Up:
            self._show(max(here - 1, 0))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.store.show_comparison(None)
        else:
            super().keyPressEvent(event)

    def explained(self, position: QPointF) -> str:
        """Return what the figure or the column under ``position`` is."""
        columns = range(len(PAIRS))
        column = next((n for n in columns if self.cell_box(n).contains(position)), None)
        place = self.row_at(position.y())
        if place is None:
            in_head = column is not None and position.y() < self.look.px(HEAD)
            return head_tooltip(PAIRS[column]) if in_head and column is not None else ""
        run = self.table.rows[place].run
        if column is None:
            return f"{run.label}. {row_state(self.table.rows[place])}".strip()
        return cell_tooltip(self.table, place, PAIRS[column])

    def _point(self, place: int | None) -> None:
        if place != self._pointed:
            self._pointed = place
            can = place is not None and self._can_show(place)
            self.setCursor(Qt.CursorShape.PointingHandCursor if can else Qt.CursorShape.ArrowCursor)
            self.update()

    def _can_show(self, place: int) -> bool:
        run = self.runs[place]
        return not run.live and len(run.trace) > 0

    def _show(self, place: int) -> None:
        if self.runs and self._can_show(place):
            self.store.show_run(self.runs[place].run_id)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw heads, then row by row."""
        painter = self.painter()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_head(painter)
        bar = BytesBar(self.look, self.table)
        for place in range(len(self.table.rows)):
            self._paint_row(painter, place, bar)
        painter.end()

    def _paint_head(self, painter: QPainter) -> None:
        px, look = self.look.px, self.look
        line = px(16)
        for group in groups(self.table):
            box = self.cell_box(group.start).united(self.cell_box(group.stop - 1))
            if not group.start:
                box.setLeft(0)  # its words are wider than its column
            painter.setFont(look.font(11))
            painter.setPen(look.color("muted"))
            top = QRectF(box.left(), 0, box.width() - px(GAP), line)
            self._write(painter, top, group.text, RIGHT)
            painter.setPen(look.color("line"))
            below = line + px(1)
            painter.drawLine(
                QPointF(box.left() + px(2 * GAP), below), QPointF(box.right() - px(GAP), below)
            )
        for column, pair in enumerate(PAIRS):
            box = self.cell_box(column)
            first = QRectF(box.left(), line + px(3), box.width() - px(GAP), line)
            painter.setFont(look.font(11, MEDIUM))
            painter.setPen(look.color("secondary"))
            self._write(painter, first, pair.heads[0], RIGHT)
            painter.setFont(look.font(11))
            painter.setPen(look.color("muted"))
            self._write(painter, first.translated(0, px(15)), pair.heads[1], RIGHT)

    def _paint_row(self, painter: QPainter, place: int, bar: BytesBar) -> None:
        px, look, row = self.look.px, self.look, self.table.rows[place]
        box = self.row_box(place)
        shown = row.run is self.store.shown
        if shown or (place == self._pointed and self._can_show(place)):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.color("bg3" if shown else "bg2"))
            painter.drawRoundedRect(box.adjusted(0, 1, 0, -1), px(6), px(6))
        left = px(PAD)
        name = QRectF(left, box.top() + px(5), self._name_width() - left, px(17))
        painter.setFont(look.font(13, MEDIUM))
        painter.setPen(look.color("text"))
        self._write(painter, name, self._names[place], LEFT)
        painter.setFont(look.font(11))
        painter.setPen(look.color("muted"))
        words = layout_words(row.run)
        self._write(painter, name.translated(0, px(16)), words, LEFT)
        if not row.ended:
            failed = row.run.message
            painter.setPen(look.color("error" if failed else "secondary"))
            rest = QRectF(name.right(), name.top(), box.right() - name.right() - px(PAD), px(17))
            self._write(painter, rest, row_state(row), RIGHT)
            return
        for column in range(len(PAIRS)):
            self._paint_cell(painter, place, column, box.top())
        bar_box = QRectF(left, box.top() + px(BAR_TOP), box.width() - 2 * left, px(BAR_HEIGHT))
        bar.paint(painter, bar_box, row, self.devicePixelRatio())

    def _paint_cell(self, painter: QPainter, place: int, column: int, top: float) -> None:
        px, look, pair = self.look.px, self.look, PAIRS[column]
        box, row = self.cell_box(column), self.table.rows[place]
        differs = row.proof is not None and not row.proof.same_tokens
        for n, (key, text) in enumerate(
            zip((pair.first, pair.second), pair_texts(self.table, place, pair), strict=True)
        ):
            best = key is not None and (place, key) in self.table.best
            tone = "secondary" if n == 0 else "muted"
            if key == "same_tokens" and row.proof is not None:
                tone = "error" if differs else "good"
            painter.setFont(look.font(13 if n == 0 else 11, MEDIUM if best else REGULAR))
            painter.setPen(look.color("text" if best else tone))
            line = QRectF(box.left(), top + px(5) + n * px(16), box.width() - px(GAP), px(17))
            self._write(painter, line, text, RIGHT)
            if best:
                width = QFontMetricsF(painter.font()).horizontalAdvance(text)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(look.color("good"))
                side = look.zoom * 2
                centre = QPointF(line.right() - width - px(7), line.center().y())
                painter.drawEllipse(centre, side, side)

    @staticmethod
    def _write(painter: QPainter, box: QRectF, text: str, flags: Qt.AlignmentFlag) -> None:
        shown = QFontMetricsF(painter.font()).elidedText(
            text, Qt.TextElideMode.ElideRight, box.width()
        )
        painter.drawText(box, flags, shown)

    def _name_width(self) -> float:
        return max(self.look.px(LEAST_NAME), NAME_SHARE * self.width())
