"""The likeliest next tokens as bars, the one that was taken in decode's colour."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.session.probability_text import probability_text
from kvviz.trace.step import Candidate, Step
from kvviz.ui.changes import Change
from kvviz.ui.fonts import MEDIUM
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.explained_view import ExplainedView
from kvviz.ui.views.piece_text import paint_piece
from kvviz.ui.views.pieces import byte_words, visible

PITCH, BAR, NAME, NUMBER = 22, 12, 104, 48
ROWS = 5
TOPS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # what a full bar may stand for
BEFORE = "After the prompt's prefill the likeliest tokens stand here."
CHUNK = "A chunk of the prompt chooses nothing; its last one does."


@dataclass(frozen=True, slots=True)
class Bar:
    """One token: its text, its probability, whether it was taken."""

    candidate: Candidate
    taken: bool


class CandidateBars(ExplainedView):
    """One bar a token, likeliest first; the taken one is always among them."""

    concerns = Change.RUNS | Change.CURSOR

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Likeliest next tokens")
        self.read(Change.ALL)

    def sizeHint(self) -> QSize:
        """Return room for five tokens."""
        return QSize(self.look.px(340), self.look.px(PITCH * ROWS))

    def minimumSizeHint(self) -> QSize:
        """Return room for four tokens."""
        return QSize(self.look.px(200), self.look.px(PITCH * 4))

    @property
    def candidates(self) -> list[Bar]:
        """The bars there is room for."""
        step = self.store.step
        rows = max(1, self.height() // self.look.px(PITCH))
        return bars(step, rows) if step is not None else []

    def read(self, changes: Change) -> None:
        """Say for screen readers what was taken."""
        shown = self.candidates
        taken = next((bar for bar in shown if bar.taken), None)
        words = BEFORE if taken is None else f"taken: {visible(taken.candidate.piece)}"
        self.setAccessibleDescription(words)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a name, a bar and a number for each."""
        painter = self.painter()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shown = self.candidates
        top = _full_bar(shown)
        for place, bar in enumerate(shown):
            self._paint_bar(painter, place, bar, top)
        if not shown and self.store.shown is not None:
            painter.setFont(self.look.font(13))
            painter.setPen(self.look.color("secondary"))
            flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
            words = BEFORE if self.store.step is None else CHUNK
            painter.drawText(self.rect(), flags | Qt.TextFlag.TextWordWrap, words)
        painter.end()

    def explained(self, position: QPointF) -> str:
        """Return id and probability of the token at ``position``, in words."""
        shown, place = self.candidates, int(position.y() // self.look.px(PITCH))
        if not 0 <= place < len(shown):
            return ""
        bar = shown[place]
        name = f"“{visible(bar.candidate.piece)}”, id {bar.candidate.token_id}"
        before = [token.piece for token in self.store.tokens[:-1]]
        if words := byte_words([*before, bar.candidate.piece], len(before)):
            name = f"{name}, {words}"
        taken = "; this one was taken" if bar.taken else ""
        return f"{name}: probability {bar.candidate.probability:.4f}{taken}"

    def _paint_bar(self, painter: QPainter, place: int, bar: Bar, top: float) -> None:
        px = self.look.px
        middle = px(PITCH) * place + px(PITCH) / 2
        font = self.look.font(13, MEDIUM) if bar.taken else self.look.font(13)
        metrics = QFontMetricsF(font)
        base = round(middle + metrics.capHeight() / 2)
        painter.setFont(font)
        text, muted = self.look.color("text"), self.look.color("muted")
        paint_piece(painter, bar.candidate.piece, QPointF(0, base), px(NAME - 8), text, muted)
        left, room = px(NAME), max(1.0, self.width() - px(NAME + NUMBER))
        length = max(float(px(2)), room * min(1.0, bar.candidate.probability / top))
        shape = QRectF(left, middle - px(BAR) / 2, length, px(BAR))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.look.color("decode" if bar.taken else "bg3"))
        painter.drawRoundedRect(shape, min(px(2), length / 2), min(px(2), length / 2))
        painter.setFont(self.look.font(13))
        painter.setPen(self.look.color("text" if bar.taken else "secondary"))
        number = probability_text(bar.candidate.probability)
        painter.drawText(QPointF(shape.right() + px(8), base), number)


def bars(step: Step, rows: int) -> list[Bar]:
    """Return up to ``rows`` candidates of a step; a token taken from further down comes last."""
    shown = [Bar(candidate, candidate.token_id == step.token_id) for candidate in step.candidates]
    if step.token_id is None:
        return []
    if not any(bar.taken for bar in shown[:rows]):
        taken = next((bar for bar in shown if bar.taken), None)
        if taken is None:
            taken = Bar(Candidate(step.token_id, step.piece, step.probability or 0.0), True)
        return [*shown[: rows - 1], taken]
    return shown[:rows]


def _full_bar(shown: list[Bar]) -> float:
    largest = max((bar.candidate.probability for bar in shown), default=1.0)
    return next((top for top in TOPS if top >= largest), 1.0)
