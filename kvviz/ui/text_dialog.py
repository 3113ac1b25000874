"""How to feed a model that came without a tokenizer."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from kvviz.ui.question import Question
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button

SENTENCE = (
    "{name} has no tokenizer.json, so nobody knows which text its tokens stand for. Its costs are "
    "real either way; bytes mean other tokens to it, and what it writes will make no sense."
)
TOO_FEW = "It knows fewer tokens than there are bytes."


class TextDialog(Question):
    """``chosen(True)`` for text as UTF-8 bytes, ``chosen(False)`` for ids typed as numbers."""

    chosen = Signal(bool)

    def __init__(
        self,
        look: ThemeManager,
        name: str,
        can_take_bytes: bool,
        parent: QWidget | None = None,
    ) -> None:
        self.bytes_button = Button(
            look, "Feed text as bytes", "Each byte of the prompt is one token.", kind="primary"
        )
        self.ids_button = Button(
            look, "Type token ids", "The prompt is numbers such as 10, 20, 30."
        )
        answers = [self.ids_button, self.bytes_button]
        why = SENTENCE.format(name=name)
        super().__init__(look, f"Open {name}", why, answers, parent=parent)
        self.bytes_button.set_reason(None if can_take_bytes else TOO_FEW)
        (self.bytes_button if can_take_bytes else self.ids_button).setDefault(True)
        self.bytes_button.clicked.connect(self._on_bytes)
        self.ids_button.clicked.connect(self._on_ids)

    @Slot()
    def _on_bytes(self) -> None:
        self.accept()
        self.chosen.emit(True)

    @Slot()
    def _on_ids(self) -> None:
        self.accept()
        self.chosen.emit(False)
