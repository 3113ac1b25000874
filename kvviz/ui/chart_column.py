"""The right of the window: bytes, clock, work, and the next token."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvviz.ui.store import Store
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.latency_chart import LatencyChart
from kvviz.ui.views.memory_chart import MemoryChart
from kvviz.ui.views.next_token import NextToken
from kvviz.ui.views.work_chart import WorkChart
from kvviz.ui.widgets.fold import Fold

ROOM_FOR_WORK = 720  # px of height at zoom 1; below it two charts stay readable, three do not


class ChartColumn(QWidget):
    """Three charts over the same run, one below the other."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.memory = MemoryChart(store, look)
        self.latency = LatencyChart(store, look)
        self.work = WorkChart(store, look)
        self.next_token = NextToken(store, look)
        self.views = (self.memory, self.latency, self.work, self.next_token)
        self.work_fold = Fold(look, "Score cells", self.work)
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self.memory, 10)
        self._layout.addWidget(self.latency, 10)
        self._layout.addWidget(self.work_fold, 9)
        self._layout.addWidget(self.next_token)
        set_ground(self, "bg1")
        look.changed.connect(self._on_look_changed)
        self._on_look_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the third chart away where there is no room for it."""
        super().resizeEvent(event)
        self.work_fold.set_room(event.size().height() >= self._look.px(ROOM_FOR_WORK))

    def _on_look_changed(self) -> None:
        px = self._look.px
        self._layout.setContentsMargins(px(16), px(12), px(12), px(12))
        self._layout.setSpacing(px(10))  # all four fit a window of 720
        self.work_fold.set_room(self.height() >= px(ROOM_FOR_WORK))
