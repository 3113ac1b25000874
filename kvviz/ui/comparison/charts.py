"""The right of the window while layouts are compared: bytes and clock of all runs."""

from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvviz.ui.comparison.drawings import KEPT, BytesDrawing, Kept, LatencyDrawing
from kvviz.ui.comparison.lines import RunLines
from kvviz.ui.store import Store
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.corner_toggle import CornerToggle


class MemoryLines(RunLines):
    """Bytes, and in the corner the choice which."""

    def __init__(self, store: Store, look: ThemeManager) -> None:
        self.bytes = BytesDrawing()
        super().__init__(store, look, self.bytes)
        self.toggle = CornerToggle(look, KEPT, Kept.RESERVED, "Which bytes", self.chart)
        self.toggle.chosen.connect(self._on_chosen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the toggle in the corner above the plot."""
        super().resizeEvent(event)
        self.toggle.place()

    @Slot(object)
    def _on_chosen(self, kept: object) -> None:
        self.bytes.kept = Kept(str(kept))
        self.draw()


class ComparisonCharts(QWidget):
    """Memory above, latency below."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.memory = MemoryLines(store, look)
        self.latency = RunLines(store, look, LatencyDrawing())
        self.views = (self.memory, self.latency)
        self._layout = QVBoxLayout(self)
        for view in self.views:
            self._layout.addWidget(view, 1)
        set_ground(self, "bg1")
        look.changed.connect(self._on_look_changed)
        self._on_look_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        px = self._look.px
        self._layout.setContentsMargins(px(16), px(12), px(12), px(12))
        self._layout.setSpacing(px(14))
