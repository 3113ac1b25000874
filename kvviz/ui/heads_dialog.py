"""The one thing a file of tutorial weights does not say."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from kvviz.sizing.shape import ModelShape
from kvviz.sizing.units import count_text
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.dropdown import Dropdown
from kvviz.ui.widgets.field_row import FieldRow
from kvviz.ui.widgets.label import Label

WIDTH = 400
TUTORIAL_HEADS = 4  # what the tutorial's own model has
USUAL_HEAD_DIM = 64
SENTENCE = (
    "The file does not say how many query heads it was trained with. "
    "A wrong number runs too, but writes something else."
)


class HeadsDialog(QDialog):
    """``chosen(num_heads)`` once a person has said which of the possible shapes it is."""

    chosen = Signal(int)

    def __init__(
        self,
        look: ThemeManager,
        name: str,
        shapes: dict[int, ModelShape],
        likely: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self.setWindowTitle(f"Open {name}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        set_ground(self, "bg1")
        self.heads = Dropdown(
            look,
            [(heads, shape_text(shape), "") for heads, shape in shapes.items()],
            likely,
            tooltip="Divisors of the hidden size that the file's keys fit.",
        )
        self.sentence = Label(look, SENTENCE, tone="secondary")
        self.sentence.setWordWrap(True)
        self.open_button = Button(look, "Open", "Run the prompt on these weights.", kind="primary")
        self.cancel_button = Button(look, "Cancel", "Leave everything as it is.", shortcut="Esc")
        self.open_button.setDefault(True)
        self.open_button.clicked.connect(self.accept)
        self.cancel_button.clicked.connect(self.reject)
        self.accepted.connect(self._on_accepted)
        look.changed.connect(self._lay_out)
        self._buttons = QHBoxLayout()
        self._buttons.addStretch(1)
        self._buttons.addWidget(self.cancel_button)
        self._buttons.addWidget(self.open_button)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.sentence)
        self._column.addWidget(FieldRow(look, "Query heads", self.heads, stretch=True))
        self._column.addLayout(self._buttons)
        self._lay_out()
        self.heads.setFocus()

    @Slot()
    def _on_accepted(self) -> None:
        value = self.heads.value
        assert isinstance(value, int)
        self.chosen.emit(value)

    @Slot()
    def _lay_out(self) -> None:
        px = self._look.px
        self.setFixedWidth(px(WIDTH))
        self._column.setContentsMargins(px(24), px(24), px(24), px(16))
        self._column.setSpacing(px(16))
        self._buttons.setSpacing(px(8))


def likely_heads(shapes: dict[int, ModelShape]) -> int:
    """Return the best guess: the tutorial's own 4 on a small model, else heads of about 64."""
    hidden = next(iter(shapes.values())).hidden_size
    if TUTORIAL_HEADS in shapes and hidden <= TUTORIAL_HEADS * USUAL_HEAD_DIM:
        return TUTORIAL_HEADS
    return min(shapes, key=lambda heads: abs(shapes[heads].head_dim - USUAL_HEAD_DIM))


def shape_text(shape: ModelShape) -> str:
    """Write one possible shape: 6 of 32 values, 2 KV heads."""
    text = f"{shape.num_heads:,} of {count_text(shape.head_dim, 'value')}"
    if shape.num_kv_heads == shape.num_heads:
        return text
    return f"{text}, {count_text(shape.num_kv_heads, 'KV head')}"
