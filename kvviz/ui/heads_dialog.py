"""The one thing a file of tutorial weights does not say."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from kvviz.sizing.shape import ModelShape
from kvviz.sizing.units import count_text
from kvviz.ui.question import Question
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.dropdown import Dropdown
from kvviz.ui.widgets.field_row import FieldRow

TUTORIAL_HEADS = 4  # what the tutorial's own model has
USUAL_HEAD_DIM = 64
SENTENCE = (
    "The file does not say how many query heads it was trained with. "
    "A wrong number runs too, but writes something else."
)


class HeadsDialog(Question):
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
        self.heads = Dropdown(
            look,
            [(heads, shape_text(shape), "") for heads, shape in shapes.items()],
            likely,
            tooltip="Divisors of the hidden size that the file's keys fit.",
        )
        self.open_button = Button(look, "Open", "Run the prompt on these weights.", kind="primary")
        row = FieldRow(look, "Query heads", self.heads, stretch=True)
        super().__init__(look, f"Open {name}", SENTENCE, [self.open_button], [row], parent)
        self.open_button.setDefault(True)
        self.open_button.clicked.connect(self.accept)
        self.accepted.connect(self._on_accepted)
        self.heads.setFocus()

    @Slot()
    def _on_accepted(self) -> None:
        value = self.heads.value
        assert isinstance(value, int)
        self.chosen.emit(value)


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
