"""How to feed a model that came without a tokenizer."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.prose import Prose

WIDTH = 400
SENTENCE = (
    "{name} has no tokenizer.json, so nobody knows which text its tokens stand for. Its costs are "
    "real either way; bytes mean other tokens to it, and what it writes will make no sense."
)
TOO_FEW = "It knows fewer tokens than there are bytes."


class TextDialog(QDialog):
    """``chosen(True)`` for text as UTF-8 bytes, ``chosen(False)`` for ids typed as numbers."""

    chosen = Signal(bool)

    def __init__(
        self,
        look: ThemeManager,
        name: str,
        can_take_bytes: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self.setWindowTitle(f"Open {name}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        set_ground(self, "bg1")
        self.sentence = Prose(look, SENTENCE.format(name=name), size=13, tone="secondary")
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.bytes_button = Button(
            look, "Feed text as bytes", "Each byte of the prompt is one token.", kind="primary"
        )
        self.ids_button = Button(
            look, "Type token ids", "The prompt is numbers such as 10, 20, 30."
        )
        self.cancel_button = Button(look, "Cancel", "Leave everything as it is.", shortcut="Esc")
        self.bytes_button.set_reason(None if can_take_bytes else TOO_FEW)
        (self.bytes_button if can_take_bytes else self.ids_button).setDefault(True)
        self.bytes_button.clicked.connect(self._on_bytes)
        self.ids_button.clicked.connect(self._on_ids)
        self.cancel_button.clicked.connect(self.reject)
        self._buttons = QHBoxLayout()
        self._buttons.addStretch(1)
        for button in (self.cancel_button, self.ids_button, self.bytes_button):
            self._buttons.addWidget(button)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.sentence)
        self._column.addLayout(self._buttons)
        look.changed.connect(self._lay_out)
        self._lay_out()

    @Slot()
    def _on_bytes(self) -> None:
        self.accept()
        self.chosen.emit(True)

    @Slot()
    def _on_ids(self) -> None:
        self.accept()
        self.chosen.emit(False)

    @Slot()
    def _lay_out(self) -> None:
        px = self._look.px
        self.setFixedWidth(px(WIDTH))
        self._column.setContentsMargins(px(24), px(24), px(24), px(16))
        self._column.setSpacing(px(16))
        self._buttons.setSpacing(px(8))
