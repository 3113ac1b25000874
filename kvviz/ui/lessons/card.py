"""One lesson on the overview: its drawing, its name, what it is about, how long it takes."""

from math import ceil

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from kvviz.lessons.lesson import Lesson
from kvviz.sizing.units import count_text
from kvviz.ui.fonts import SEMIBOLD
from kvviz.ui.lessons.emblem import Emblem
from kvviz.ui.theme import ThemeManager

WIDTH, DRAWING, MARGIN = 240, 60, 16
WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


class LessonCard(QAbstractButton):
    """A press opens the lesson, and so do Space and Return."""

    def __init__(self, look: ThemeManager, lesson: Lesson, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self.lesson = look, lesson
        self._state = ""
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        look.changed.connect(self.updateGeometry)
        self.set_place(None, done=False)

    @property
    def state(self) -> str:
        """How far a person is: "", "step 3 of 9" or "done"."""
        return self._state

    def set_place(self, index: int | None, *, done: bool) -> None:
        """Say at which step it was left, and whether it was once done."""
        count = len(self.lesson.steps)
        place = min(index or 0, count - 1)  # a lesson may have had more steps when it was left
        self._state = f"step {place + 1} of {count}" if place else "done" if done else ""
        said = f"{self.lesson.number}. {self.lesson.title}, {self.length}"
        self.setAccessibleName(f"{said}, {self._state}" if self._state else said)
        self.setAccessibleDescription(self.lesson.summary)
        self.update()

    @property
    def length(self) -> str:
        """Steps and minutes in words."""
        steps, minutes = len(self.lesson.steps), self.lesson.minutes
        return f"{count_text(steps, 'step')} · {count_text(minutes, 'minute')}"

    def sizeHint(self) -> QSize:
        """Return the drawn width and the height that the words need there."""
        width = self._look.px(WIDTH)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Return the same: words are never clipped."""
        return self.sizeHint()

    def heightForWidth(self, width: int) -> int:
        """Return the height that the words need at ``width``."""
        px = self._look.px
        words = sum(self._height_of(text, font, width) for text, font, _ in self._lines())
        return ceil(2 * px(MARGIN) + px(DRAWING) + 3 * px(10) + words)

    def event(self, event: QEvent) -> bool:
        """Be drawn anew when pointed at."""
        if event.type() in (QEvent.Type.HoverEnter, QEvent.Type.HoverLeave):
            self.update()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Return press too."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint ground, drawing and words."""
        look, px = self._look, self._look.px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = self.underMouse() or self.hasFocus()
        painter.setBrush(look.color("bg2" if lit else "bg1"))
        edge = "text" if self.hasFocus() else "line"
        painter.setPen(QPen(look.color(edge), 1.5 if self.hasFocus() else 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), px(8), px(8))
        box = QRectF(px(MARGIN), px(MARGIN), self.width() - 2 * px(MARGIN), px(DRAWING))
        Emblem(painter, look, box).paint(self.lesson.name)
        top = box.bottom() + px(10)
        for text, font, tone in self._lines():
            height = self._height_of(text, font, self.width())
            painter.setFont(font)
            painter.setPen(look.color(tone))
            painter.drawText(QRectF(box.left(), top, box.width(), height + 2), WRAPPED, text)
            top += height + px(10)
        self._write_state(painter)
        painter.end()

    def _lines(self) -> tuple[tuple[str, QFont, str], ...]:
        """Return what is written: the words, their font and their tone."""
        font = self._look.font
        return (
            (f"{self.lesson.number}  {self.lesson.title}", font(13, SEMIBOLD), "text"),
            (self.lesson.summary, font(13), "secondary"),
            (self.length, font(11), "muted"),
        )

    def _height_of(self, text: str, font: QFont, width: int) -> float:
        room = QRectF(0, 0, width - 2 * self._look.px(MARGIN), 1000)
        return QFontMetricsF(font).boundingRect(room, WRAPPED, text).height()

    def _write_state(self, painter: QPainter) -> None:
        if not self._state:
            return
        px = self._look.px
        painter.setFont(self._look.font(11, SEMIBOLD))
        painter.setPen(self._look.color("good" if self._state == "done" else "cursor"))
        text = "✓ done" if self._state == "done" else self._state
        box = QRectF(px(MARGIN), px(MARGIN), self.width() - 2 * px(MARGIN), px(16))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, text)
