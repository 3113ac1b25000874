"""The lesson at the left: what is said, what is asked, and the way on."""

from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from kvviz.lessons.lesson import Question
from kvviz.lessons.player import Player
from kvviz.session.moment import Moment
from kvviz.ui.fonts import SEMIBOLD
from kvviz.ui.lessons.guide import Guide
from kvviz.ui.lessons.prose import inline, origins, rich_text
from kvviz.ui.lessons.question_box import QuestionBox
from kvviz.ui.lessons.step_bar import StepBar
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.prose import Prose
from kvviz.ui.widgets.section_header import SectionHeader

WIDTH_UNITS = 280
MARGIN = 16
NEXT, SKIP, DONE = "Next  Space", "Skip  Space", "Done  Space"


class LessonPanel(QWidget):
    """Follows the guide; the text scrolls where there is no room, the way on stays in sight."""

    left = Signal()

    def __init__(
        self, guide: Guide, look: ThemeManager, count: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._guide, self._look, self._count = guide, look, count
        self._shown: tuple[str, int, str | None] = ("", 0, None)
        self._follows_answer = False
        self._place = SectionHeader(look, "Lesson")
        self._title = Prose(look, size=20, weight=SEMIBOLD, tone="text")
        self.bar = StepBar(look)
        self.text = Prose(look, size=13, tone="text")
        self.origins = Prose(look)
        self.question = QuestionBox(look)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.back = Button(look, "← Back", "The step before, as it was", shortcut="Left")
        self.next = Button(look, NEXT, "On with the lesson", shortcut="Space", kind="primary")
        self.leave = Button(
            look,
            "Esc leaves",
            "Leave the lesson; its runs stay to play with",
            kind="quiet",
            tight=True,
        )
        self.back.setAccessibleName("Back")
        self.leave.setAccessibleName("Leave the lesson")
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        for part in (self._place, self._title, self.bar, self.text, self.origins, self.question):
            self._column.addWidget(part)
        self._column.addStretch(1)
        self.area = self._build_area()
        self._scroll = self.area.verticalScrollBar()
        self._scroll.installEventFilter(self)
        self._scroll.rangeChanged.connect(self._keep_answer_in_sight)
        self._way = QHBoxLayout()
        for button in (self.back, self.next):
            self._way.addWidget(button)
        self._way.addStretch(1)
        self._way.addWidget(self.leave)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.area, 1)
        whole.addLayout(self._way)
        set_ground(self, "bg1")
        self.setAccessibleName("Lesson")
        self.back.clicked.connect(guide.go_back)
        self.next.clicked.connect(guide.go_on)
        self.leave.clicked.connect(self.left)
        self.question.answered.connect(self._on_answered)
        guide.changed.connect(self.refresh)
        look.changed.connect(self._restyle)
        self._restyle()

    def sizeHint(self) -> QSize:
        """Return the drawn width."""
        return QSize(self._least_width(), self._look.px(600))

    def minimumSizeHint(self) -> QSize:
        """Return the drawn width; the height scrolls."""
        return QSize(self._least_width(), self._look.px(200))

    def _least_width(self) -> int:
        # Small zooms round up: a little more than the drawn width is better than a clipped word.
        return max(self._look.px(WIDTH_UNITS), self._way.minimumSize().width())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Give the scroll bar its room from the margin: no line breaks otherwise beside it."""
        if watched is self._scroll and event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            self._set_margins()
        return super().eventFilter(watched, event)

    @Slot()
    def refresh(self) -> None:
        """Say what the guide's step says."""
        player, stage = self._guide.player, self._guide.stage()
        if player is None or stage is None:
            return
        lesson, theme = player.lesson, self._look.theme
        self._place.set_text(f"Lesson {lesson.number} of {self._count}")
        self._title.setText(lesson.title)
        self.bar.set_place(player.index, len(lesson.steps))
        self.text.setText(rich_text(player.step.text, stage.moment, theme))
        said = self._guide.waits_for or origins(player.step.text)
        self.origins.setText(said)
        self.origins.setVisible(bool(said))
        self.back.set_reason(None if player.index else "This is the first step.")
        way_on = SKIP if self._guide.moving else DONE if player.at_end else NEXT
        self.next.setText(way_on)
        self.next.setAccessibleName(way_on.split()[0])
        self._ask(player, stage.moment)
        self._keep_place(player)

    def _keep_place(self, player: Player) -> None:
        """Begin a step at its top, and stay with the answer that was just given."""
        before, self._shown = self._shown, (player.lesson.name, player.index, player.answered)
        if self._shown[:2] != before[:2]:
            self._follows_answer = False
            self._scroll.setValue(0)
        elif self._shown != before:
            self._follows_answer = player.answered is not None
            self._keep_answer_in_sight()

    @Slot()
    def _keep_answer_in_sight(self) -> None:
        if self._follows_answer:
            self.area.ensureWidgetVisible(self.question, 0, self._look.px(8))

    def _ask(self, player: Player, moment: Moment | None) -> None:
        question: Question | None = player.step.question
        self.question.setVisible(question is not None)
        if question is None:
            return
        theme, choices = self._look.theme, self._guide.choices()
        self.question.set_question(inline(question.ask, moment, theme), choices)
        ways = (*map(self.question.button, self.question.options), self.back, self.next, self.leave)
        for one, other in pairwise(ways):  # a question is met before the way on
            QWidget.setTabOrder(one, other)
        if moment is not None:
            why = inline(question.why, moment, theme)
            self.question.show_answer(choices, player.answered, why)

    @Slot(str)
    def _on_answered(self, text: str) -> None:
        self._guide.answer(text)
        right = any(choice.right for choice in self._guide.choices() if choice.text == text)
        if right and self.question.button(text).hasFocus():  # Space is the way on again
            self.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _build_area(self) -> QScrollArea:
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._content)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return area

    def _set_margins(self) -> None:
        px = self._look.px
        bar = self._scroll.sizeHint().width() if self._scroll.isVisible() else 0
        self._column.setContentsMargins(px(MARGIN), px(16), px(MARGIN) - bar, px(8))

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._set_margins()
        self._column.setSpacing(px(12))
        self._way.setContentsMargins(px(MARGIN), px(8), px(4), px(16))
        self._way.setSpacing(px(6))
        widths = []
        for words in (NEXT, SKIP, DONE):  # nothing moves when one becomes the other
            self.next.setText(words)
            widths.append(self.next.sizeHint().width())
        self.next.setMinimumWidth(max(widths))
        self.refresh()
        self.updateGeometry()
