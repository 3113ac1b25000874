"""All lessons, side by side."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from kvviz.lessons.lesson import Lesson
from kvviz.ui.fonts import SEMIBOLD
from kvviz.ui.lessons.card import WIDTH, LessonCard
from kvviz.ui.preferences import Preferences
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.label import Label

MARGIN, GAP = 32, 16
MOST_COLUMNS = 4
SAID = (
    "Each step is one or two sentences and one thing to watch: a real run, made on this machine "
    "when you come to it."
)


class Overview(QScrollArea):
    """``chosen(name)`` follows a press on a card."""

    chosen = Signal(str)

    def __init__(
        self,
        look: ThemeManager,
        lessons: Sequence[Lesson],
        values: Preferences,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look, self._values = look, values
        self._title = Label(look, "Lessons", size=20, weight=SEMIBOLD)
        self._said = Label(look, SAID, tone="secondary")
        self._said.setWordWrap(True)
        self.cards = [LessonCard(look, lesson) for lesson in lessons]
        self._grid = QGridLayout()
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        self._column.addWidget(self._title)
        self._column.addWidget(self._said)
        self._column.addLayout(self._grid)
        self._column.addStretch(1)
        self._columns = 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(self._content)
        self.setAccessibleName("Lessons")
        set_ground(self, "bg0")
        for card in self.cards:
            card.clicked.connect(self._on_clicked)
        look.changed.connect(self._restyle)
        self._restyle()
        self.refresh()

    def refresh(self) -> None:
        """Say anew how far each lesson is."""
        for card in self.cards:
            name = card.lesson.name
            done = name in self._values.lessons_done
            card.set_place(self._values.lesson_places.get(name), done=done)

    def point_behind(self, name: str) -> None:
        """Give the keyboard to the lesson that follows ``name``, or the first one behind the last.

        The card comes into sight.
        """
        names = [card.lesson.name for card in self.cards]
        self._give_keyboard(self.cards[(names.index(name) + 1) % len(names)])

    def showEvent(self, event: QShowEvent) -> None:
        """Give the keyboard to the first lesson that is not done."""
        super().showEvent(event)
        done = [card.lesson.name in self._values.lessons_done for card in self.cards]
        self._give_keyboard(self.cards[done.index(False) if False in done else 0])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put as many side by side as there is room for."""
        super().resizeEvent(event)
        self._arrange()

    def _give_keyboard(self, card: LessonCard) -> None:
        card.setFocus(Qt.FocusReason.OtherFocusReason)
        self.ensureWidgetVisible(card)

    def _arrange(self) -> None:
        px = self._look.px
        room = self.viewport().width() - 2 * px(MARGIN) + px(GAP)
        columns = max(1, min(MOST_COLUMNS, room // (px(WIDTH) + px(GAP))))
        if columns == self._columns:
            return
        self._columns = columns
        for place, card in enumerate(self.cards):
            self._grid.addWidget(card, *divmod(place, columns))
        for column in range(MOST_COLUMNS):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    @Slot()
    def _on_clicked(self) -> None:
        card = self.sender()
        assert isinstance(card, LessonCard)
        self.chosen.emit(card.lesson.name)

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._column.setContentsMargins(px(MARGIN), px(24), px(MARGIN), px(24))
        self._column.setSpacing(px(12))
        self._grid.setSpacing(px(GAP))
        self._columns = 0
        self._arrange()
