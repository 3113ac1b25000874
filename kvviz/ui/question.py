"""A dialog that asks one thing."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.prose import Prose

WIDTH = 400


class Question(QDialog):
    """Why it asks, ``fields`` to fill in, and ``answers`` behind Cancel; closed, it is gone."""

    def __init__(
        self,
        look: ThemeManager,
        title: str,
        why: str,
        answers: Sequence[Button],
        fields: Sequence[QWidget] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        set_ground(self, "bg1")
        self.sentence = Prose(look, why, size=13, tone="secondary")
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.cancel_button = Button(look, "Cancel", "Leave everything as it is.", shortcut="Esc")
        self.cancel_button.clicked.connect(self.reject)
        self._buttons = QHBoxLayout()
        self._buttons.addStretch(1)
        for button in (self.cancel_button, *answers):
            self._buttons.addWidget(button)
        self._column = QVBoxLayout(self)
        for part in (self.sentence, *fields):
            self._column.addWidget(part)
        self._column.addLayout(self._buttons)
        look.changed.connect(self._lay_out)
        self._lay_out()

    @Slot()
    def _lay_out(self) -> None:
        px = self._look.px
        self.setFixedWidth(px(WIDTH))
        self._column.setContentsMargins(px(24), px(24), px(24), px(16))
        self._column.setSpacing(px(16))
        self._buttons.setSpacing(px(8))
