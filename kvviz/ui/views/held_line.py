"""What caches hold now, beside what the whole process takes."""

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from kvviz.engine.memory import resident_bytes
from kvviz.sizing.units import bytes_text
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.label import Label

SAMPLE_MS = 1000  # pages go back to the system in their own time, with nothing else happening
MEANING = (
    "{held} held: what caches take now, as their tensors had it at the last step. It falls at once "
    "when a run's storage is given back: by a new run, or when the run is taken out of the list. "
    "{process}: all of kvviz in memory, as the system counts it. It may lag behind, because the "
    "allocator keeps pages that were given back to it. Both measured."
)


class HeldLine(Label):
    """Sampled once a second while it is seen."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(look, size=11, tone="secondary", parent=parent)
        self._store = store
        self._timer = QTimer(self, interval=SAMPLE_MS)
        self._timer.timeout.connect(self.sample)
        store.changed.connect(self._on_changed)
        self.sample()

    @property
    def bytes_held(self) -> int:
        """What all caches take now: the pool that runs share, and those outside it."""
        runs = self._store.runs.runs
        outside = sum(run.bytes_held for run in runs if not run.config.shares_pool)
        return outside + self._store.pool_bytes

    @Slot()
    def sample(self) -> None:
        """Read both figures and show them."""
        held = bytes_text(self.bytes_held)
        process = bytes_text(resident_bytes())
        self.setText(f"{held} held · {process} process")
        explain(self, MEANING.format(held=held, process=process))

    def showEvent(self, event: QShowEvent) -> None:
        """Follow what changes by itself."""
        super().showEvent(event)
        self.sample()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest."""
        self._timer.stop()
        super().hideEvent(event)

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & (Change.RUNS | Change.STATUS) and self.isVisible():
            self.sample()
