"""The right of the window: bytes, clock, work, and the next token."""

from PySide6.QtCore import QSize
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
ROOM_FOR_NEXT = 500  # below it the two charts need what the next token takes
NARROWEST = 332  # px at zoom 1 that a heading with its figures lives with


class ChartColumn(QWidget):
    """Three charts over the same run, one below the other; the lower ones fold away first."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._spares_memory = False
        self.memory = MemoryChart(store, look)
        self.latency = LatencyChart(store, look)
        self.work = WorkChart(store, look)
        self.next_token = NextToken(store, look)
        self.views = (self.memory, self.latency, self.work, self.next_token)
        self.work_fold = Fold(look, "Score cells", self.work)
        self.next_fold = Fold(look, "Next token", self.next_token)
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self.memory, 10)
        self._layout.addWidget(self.latency, 10)
        self._layout.addWidget(self.work_fold, 9)
        self._layout.addWidget(self.next_fold)
        set_ground(self, "bg1")
        look.changed.connect(self._on_look_changed)
        self._on_look_changed()

    def minimumSizeHint(self) -> QSize:
        """Return room for two charts, whatever their figures are, and two lines to unfold."""
        margins, spacing = self._layout.contentsMargins(), self._layout.spacing()
        charts = self.memory.minimumSizeHint().height() + self.latency.minimumSizeHint().height()
        lines = 2 * self.work_fold.button.sizeHint().height()
        height = margins.top() + charts + lines + 3 * spacing + margins.bottom()
        return QSize(self._look.px(NARROWEST), height)

    def spare_memory(self, spare: bool) -> None:
        """Let a lower view that is shown without room for it have the memory chart's."""
        self._spares_memory = spare
        self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold away what there is no room for."""
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        px = self._look.px
        self.work_fold.set_room(self.height() >= px(ROOM_FOR_WORK))
        self.next_fold.set_room(self.height() >= px(ROOM_FOR_NEXT))
        squeezed = self.work_fold.squeezed or self.next_fold.squeezed
        self.memory.setVisible(not (squeezed and self._spares_memory))

    def _on_look_changed(self) -> None:
        px = self._look.px
        self._layout.setContentsMargins(px(16), px(12), px(12), px(12))
        self._layout.setSpacing(px(10))  # all four fit a window of 720
        self._fold()
