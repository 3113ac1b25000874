"""A whole number to begin random choices with."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.stops import Stops

SEEDS = Stops(range(2**31))
SEED = (
    "Random weights and sampled tokens both begin with it: the same seed, the same run. "
    f"{SEEDS.describe()}. Keys: Up and Down."
)


class SeedBox(QWidget):
    """A seed to type or to count up; ``chosen(seed)`` when a person takes another."""

    chosen = Signal(object)

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._seed = 0
        self.edit = QLineEdit()
        self.edit.setAccessibleName("Seed")
        self.edit.setMaxLength(20)
        explain(self.edit, SEED)
        self.next = Button(look, "Next", "Take the next seed: other weights, other choices.")
        self.next.setAccessibleName("Next seed")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.edit, 1)
        self._row.addWidget(self.next)
        self.setFocusProxy(self.edit)
        self.edit.editingFinished.connect(self._on_typed)
        self.next.clicked.connect(self._on_next)
        look.changed.connect(self._restyle)
        self._restyle()
        self.set_value(0)

    @property
    def value(self) -> int:
        """The seed shown."""
        return self._seed

    def set_value(self, seed: int) -> None:
        """Show ``seed`` without an echo."""
        self._seed = seed
        self.edit.setText(str(seed))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Count with the arrows, which a line of text leaves to whoever holds it."""
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._take(self._seed + (1 if event.key() == Qt.Key.Key_Up else -1))
        else:
            super().keyPressEvent(event)

    def _take(self, wish: int | float) -> None:
        before, seed = self._seed, int(SEEDS.values[SEEDS.nearest(wish)])
        self.set_value(seed)
        if seed != before:
            self.chosen.emit(seed)

    @Slot()
    def _on_typed(self) -> None:
        wish = SEEDS.read(self.edit.text())
        self._take(self._seed if wish is None else wish)

    @Slot()
    def _on_next(self) -> None:
        self._take(self._seed + 1)

    @Slot()
    def _restyle(self) -> None:
        self.edit.setFont(self._look.font(13))
        self.edit.setMinimumWidth(self._look.px(64))
        self.edit.setFixedHeight(self._look.px(26))
        self._row.setSpacing(self._look.px(8))
