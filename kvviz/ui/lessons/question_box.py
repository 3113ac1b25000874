"""A question with a few answers; the run says which one is right."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from kvviz.lessons.player import Choice
from kvviz.ui.fonts import SEMIBOLD
from kvviz.ui.lessons.answer_button import AnswerButton
from kvviz.ui.lessons.flow import Flow
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.prose import Prose

RIGHT_MARK, WRONG_MARK = "✓", "✕"
TRY_AGAIN = "Not that. Look once more, and choose again."
NOT_YET = "The run is still on its way."


class QuestionBox(QFrame):
    """Shows a question; ``answered(text)`` follows a press, ``show_answer`` tells what it is."""

    answered = Signal(str)

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._ask = Prose(look, size=13, weight=SEMIBOLD, tone="text")
        self._why = Prose(look, size=13, tone="secondary")
        self._hint = Prose(look)
        for words in (self._ask, self._why):
            words.setTextFormat(Qt.TextFormat.RichText)
        self._options = Flow(look)
        self._buttons: dict[str, Button] = {}
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._ask)
        self._column.addWidget(self._options)
        for label in (self._hint, self._why):
            self._column.addWidget(label)
        set_ground(self, "bg2")
        look.changed.connect(self._restyle)
        self._restyle()

    @property
    def options(self) -> tuple[str, ...]:
        """The answers one can give."""
        return tuple(self._buttons)

    def button(self, text: str) -> Button:
        """Return the button of an answer."""
        return self._buttons[text]

    def set_question(self, ask: str, choices: Sequence[Choice]) -> None:
        """Show another question, nothing answered; without choices it waits for its run."""
        self._ask.setText(ask)
        self.setAccessibleName("Question")
        texts = tuple(choice.text for choice in choices)
        if texts != tuple(self._buttons):
            self._buttons = {text: self._build(key, text) for key, text in enumerate(texts, 1)}
            self._options.set_widgets(list(self._buttons.values()))
        to = "and" if len(choices) == 2 else "to"
        self._hint.setText(f"Keys 1 {to} {len(choices)} answer.")
        self._hint.setVisible(bool(choices))
        self._why.setText("" if choices else NOT_YET)
        self._why.setVisible(not choices)

    def show_answer(self, choices: Sequence[Choice], given: str | None, why: str) -> None:
        """Mark what was answered; the reason follows the right answer only."""
        right = any(choice.right for choice in choices if choice.text == given)
        for choice in choices:
            chosen = choice.text == given
            mark = RIGHT_MARK if choice.right else WRONG_MARK
            button = self._buttons[choice.text]
            button.setText(f"{choice.text} {mark}" if chosen else choice.text)
            state = ("right" if choice.right else "wrong") if chosen else ""
            button.setProperty("answer", state)
            button.setAccessibleName(f"{choice.text}: {state}" if state else choice.text)
            button.style().unpolish(button)
            button.style().polish(button)
            button.setFont(self._look.font(13))
        self._hint.setVisible(given is None)
        self._why.setVisible(given is not None)
        if given is not None:
            self._why.setText(why if right else TRY_AGAIN)
        self._options.arrange()

    def _build(self, key: int, text: str) -> Button:
        button = AnswerButton(self._look, key, text)
        button.clicked.connect(self._on_clicked)
        return button

    @Slot()
    def _on_clicked(self) -> None:
        sender = self.sender()
        self.answered.emit(next(t for t, button in self._buttons.items() if button is sender))

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._column.setContentsMargins(px(12), px(12), px(12), px(12))
        self._column.setSpacing(px(10))
