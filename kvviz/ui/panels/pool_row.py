"""The pool that runs share: how much it takes, and one click to give it back."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from kvviz.sizing.units import bytes_text
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.field_row import ROW_UNITS
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.tag import Tag

KEPT = "Bytes of all blocks of the pool that is kept for the next prompt, read off its tensors."
DROP = "Give the pool's memory back at once; the next prompt then finds nothing in it."
LIVE = "Wait until the run has ended: it may use the pool."


class PoolRow(QWidget):
    """Bytes kept and Drop; not there while there is no pool."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._look = store, look
        self.name = Label(look, "Pool kept", tone="secondary")
        self.amount = Label(look)
        self.drop = Button(look, "Drop", DROP, kind="quiet", tight=True)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.name)
        self._row.addWidget(self.amount)
        self._row.addWidget(Tag(look, "measured"))
        self._row.addStretch(1)
        self._row.addWidget(self.drop)
        self.drop.clicked.connect(self._on_drop)
        explain(self.amount, KEPT)
        self.restyle()

    def refresh(self) -> None:
        """Show what the pool takes."""
        num_bytes = self._store.pool_bytes
        self.setVisible(num_bytes > 0)
        self.amount.setText(bytes_text(num_bytes))
        self.drop.set_reason(LIVE if self._store.runs.live else None)

    def restyle(self) -> None:
        """Follow the zoom."""
        px = self._look.px
        self.setMinimumHeight(px(ROW_UNITS))
        self._row.setSpacing(px(6))

    @Slot()
    def _on_drop(self) -> None:
        self._store.drop_pool()
