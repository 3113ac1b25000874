"""The tokens so far, in the colours of the phases that fed them."""

from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.session.selection import Pointer
from kvviz.trace.trace import Token
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.chip_flow import ChipFlow, ChipLine
from kvviz.ui.views.chip_pictures import ChipPictures
from kvviz.ui.views.explained_view import ExplainedView
from kvviz.ui.views.piece_text import paint_piece, piece_width
from kvviz.ui.views.pieces import byte_words, feeding_step, is_byte, visible

CHIP, GAP, INSET, LINE_GAP = 24, 4, 7, 5
RADIUS = 5
NOTCH = 120  # wheel units


class TokenStrip(ExplainedView):
    """Chips in lines, the newest in sight; a click goes to the step that fed a token.

    On a single line they move on, so that it is full of the newest.
    """

    concerns = Change.RUNS | Change.STEPS | Change.CURSOR | Change.POINTER

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, parent)
        self._tokens: list[Token] = []
        self._widths: dict[str, float] = {}
        self._pictures = ChipPictures()
        self._flow = ChipFlow(1.0, look.px(GAP))
        self._lines = 2
        self._first = 0  # in sight: of lines, or of chips on a single one
        self._follows = True  # the end, until scrolled away from it
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Tokens")
        self.read(Change.ALL)

    def set_lines(self, lines: int) -> None:
        """Ask for room for so many lines of chips."""
        if lines != self._lines:
            self._lines = lines
            self._lay_out()
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return room for the lines of chips that are wanted."""
        return QSize(self.look.px(560), self._line_pitch() * self._lines + 4)

    def minimumSizeHint(self) -> QSize:
        """Return room for one line."""
        return QSize(self.look.px(120), self._line_pitch() + 4)

    @property
    def newest(self) -> int | None:
        """The token chosen last, else the last one fed; None before the first step."""
        return len(self._tokens) - 1 if self.store.step is not None else None

    def visible_tokens(self) -> range:
        """Return the tokens whose chips are in sight."""
        return self._flow.in_sight(self._first, self._lines_in_sight())

    def token_at(self, position: QPointF) -> int | None:
        """Return the token whose chip is under ``position``."""
        line, rest = divmod(position.y() - 2, self._line_pitch())
        if rest > self.look.px(CHIP):
            return None
        left, first_line = self._flow.begin(self._first)
        token = self._flow.at(int(line) + first_line, position.x() - 2 + left)
        return token if token is not None and token in self.visible_tokens() else None

    def chip(self, token: int) -> QRectF:
        """Return where a token's chip stands, in sight or not."""
        chip, (left, first_line) = self._flow.chip(token), self._flow.begin(self._first)
        y = 2 + (chip.line - first_line) * self._line_pitch()
        return QRectF(2 + chip.x - left, y, chip.width, self.look.px(CHIP))

    def read(self, changes: Change) -> None:
        """Take the tokens up to the cursor; chips that stay are not laid out again."""
        if not changes & ~Change.POINTER:
            return
        tokens = self.store.tokens
        same = _common_start(self._tokens, tokens)
        self._follows |= same < len(self._tokens)
        self._tokens = tokens
        self._flow.keep(same)
        self._flow.extend([token.piece for token in tokens[same:]], self._width_of)
        self._scroll_to(self._first)

    def restyle(self) -> None:
        """Measure all chips anew."""
        self._widths.clear()
        self._pictures.clear()
        self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break lines anew."""
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the chips in sight."""
        painter = self.painter()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pointer, newest = self.store.pointer, self.newest
        for token in self.visible_tokens():
            self._paint_chip(painter, token, pointer.touches(token), token == newest)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at the token under the mouse."""
        token = self.token_at(event.position())
        self.store.point(Pointer(token))
        shape = Qt.CursorShape.ArrowCursor
        if token is not None and feeding_step(self.store.trace, token) is not None:
            shape = Qt.CursorShape.PointingHandCursor
        self.setCursor(shape)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the step that fed the token under the mouse."""
        token = self.token_at(event.position())
        if token is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        step = feeding_step(self.store.trace, token)
        if step is not None:
            self.store.seek(step)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll by lines, or by chips."""
        lines = -event.angleDelta().y() / NOTCH
        moved = round(lines) or (1 if lines > 0 else -1 if lines < 0 else 0)
        moved *= self._flow.scrolls
        self._follows = self._first + moved >= self._flow.last_first(self._lines_in_sight())
        self._scroll_to(self._first + moved)
        self.update()
        event.accept()

    def explained(self, position: QPointF) -> str:
        """Return in words what the token under ``position`` is and which step fed it."""
        token = self.token_at(position)
        return "" if token is None else self.sentence(token)

    def sentence(self, token: int) -> str:
        """Return in words what a token is and how it came to be there."""
        shown = self._tokens[token]
        name = f"token {token:,}: “{visible(shown.piece)}”, id {shown.token_id}"
        if words := byte_words([known.piece for known in self._tokens], token):
            name = f"{name}, {words}"
        step = feeding_step(self.store.trace, token)
        if shown.phase is None or step is None:
            chosen = "chosen, not fed yet" if self.store.step else "of the prompt, not fed yet"
            return f"{name}, {chosen}"
        return f"{name}, fed in {shown.phase.value} (step {step}). Click to go there."

    def _paint_chip(self, painter: QPainter, token: int, pointed: bool, newest: bool) -> None:
        chip, shown, px = self.chip(token), self._tokens[token], self.look.px
        draw = partial(self._draw_chip, shown=shown, pointed=pointed)
        self._pictures.paint(painter, chip, (shown.piece, shown.phase, pointed), draw)
        if newest or pointed:
            painter.setPen(
                QPen(self.look.color("cursor" if newest else "text"), px(2) if newest else 1)
            )
            painter.drawPath(_rounded(chip, px(RADIUS)))

    def _draw_chip(self, painter: QPainter, chip: QRectF, shown: Token, pointed: bool) -> None:
        px = self.look.px
        ground = "bg3" if pointed else "bg2" if self.look.theme.is_dark else "bg1"
        painter.fillPath(_rounded(chip, px(RADIUS)), self.look.color(ground))
        if shown.phase is not None:
            painter.save()
            # The line follows the chip's own corners.
            painter.setClipRect(chip.adjusted(-1, chip.height() - px(5), 1, 1))
            painter.setPen(QPen(self.look.color(shown.phase.value), px(2)))
            painter.drawPath(_lower_edge(chip, px(RADIUS)))
            painter.restore()
        self._paint_words(painter, chip, shown.piece)

    def _paint_words(self, painter: QPainter, chip: QRectF, piece: str) -> None:
        painter.setFont(self._font(piece))
        metrics = QFontMetricsF(painter.font())
        room = chip.width() - self.look.px(4)
        left = (chip.width() - min(room, piece_width(piece, painter.font()))) / 2
        start = QPointF(
            chip.left() + left, round(chip.center().y() + metrics.capHeight() / 2) - 0.5
        )
        letters = self.look.color("secondary" if is_byte(piece) else "text")
        paint_piece(painter, piece, start, room, letters, self.look.color("muted"))

    def _width_of(self, piece: str) -> float:
        if piece not in self._widths:
            wide = piece_width(piece, self._font(piece)) + 2 * self.look.px(INSET)
            self._widths[piece] = round(max(wide, self.look.px(18)))
        return self._widths[piece]

    def _font(self, piece: str) -> QFont:
        return self.look.font(11 if is_byte(piece) else 13)

    def _lay_out(self) -> None:
        width, gap = max(1.0, self.width() - 4.0), self.look.px(GAP)
        self._flow = ChipLine(width, gap) if self._lines == 1 else ChipFlow(width, gap)
        self._flow.extend([token.piece for token in self._tokens], self._width_of)
        self._scroll_to(self._first)

    def _line_pitch(self) -> int:
        return self.look.px(CHIP) + self.look.px(LINE_GAP)

    def _lines_in_sight(self) -> int:
        return max(1, (self.height() - 4 + self.look.px(LINE_GAP)) // self._line_pitch())

    def _scroll_to(self, first: int) -> None:
        last = self._flow.last_first(self._lines_in_sight())
        self._first = last if self._follows else max(0, min(first, last))


def _common_start(old: list[Token], new: list[Token]) -> int:
    """Return how many tokens have the same text; the same run only ever adds to its end."""
    shorter = min(len(old), len(new))
    if old[:shorter] == new[:shorter]:
        return shorter
    pairs = enumerate(zip(old, new, strict=False))
    return next((i for i, (a, b) in pairs if a.piece != b.piece), shorter)


def _rounded(chip: QRectF, radius: float) -> QPainterPath:
    shape = QPainterPath()
    shape.addRoundedRect(chip, radius, radius)
    return shape


def _lower_edge(chip: QRectF, radius: float) -> QPainterPath:
    inner = chip.adjusted(0, 0, 0, -0.5)
    path = QPainterPath(QPointF(inner.left(), inner.bottom() - radius))
    path.quadTo(inner.bottomLeft(), QPointF(inner.left() + radius, inner.bottom()))
    path.lineTo(inner.right() - radius, inner.bottom())
    path.quadTo(inner.bottomRight(), QPointF(inner.right(), inner.bottom() - radius))
    return path
