"""The playground: controls, grid and charts side by side, the transport below them."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from kvviz.ui.centre import Centre
from kvviz.ui.changes import Change
from kvviz.ui.chart_column import ChartColumn
from kvviz.ui.comparison.desk import ComparisonDesk
from kvviz.ui.inspector_panel import InspectorPanel
from kvviz.ui.panels.control_column import ControlColumn
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.transport import Transport

CONTROLS_WIDTH = 280
CHARTS_WIDTH = 372
CENTRE_WIDTH = 480


class Playground(QWidget):
    """Three columns; left and right are stacks, on which a lesson or a comparison puts its own."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.store, self.look = store, look
        self._zoom = look.zoom
        self.controls = ControlColumn(store, look)
        self.centre = Centre(store, look)
        self.charts = ChartColumn(store, look)
        self.inspector = InspectorPanel(store, look)
        self.transport = Transport(store, look)
        self.views: tuple[QWidget, ...] = (*self.centre.views, *self.charts.views)
        self.left, self.right = QStackedWidget(), QStackedWidget()
        self.columns = QSplitter(Qt.Orientation.Horizontal)
        self.comparison = ComparisonDesk(self)
        self._lay_out()
        self.inspector.closed.connect(self._clear_cell)
        self.left.currentChanged.connect(self.left.show)
        store.changed.connect(self._on_changed)
        # When those that came later have followed too: until then they are as wide as they were.
        look.changed.connect(self._on_look_changed, Qt.ConnectionType.QueuedConnection)

    def restore_columns(self, widths: list[int]) -> None:
        """Give the columns these widths in px, their drawn ones where there are none."""
        if len(widths) == self.columns.count():
            self.columns.setSizes(widths)
        else:
            self._set_columns()

    @Slot()
    def toggle_controls(self) -> None:
        """Hide what stands at the left, or show it again: a narrow window has its room."""
        self.left.setVisible(self.left.isHidden())

    def _lay_out(self) -> None:
        self.left.addWidget(self.controls)
        for side in (self.charts, self.inspector):
            self.right.addWidget(side)
        for column in (self.left, self.centre, self.right):
            self.columns.addWidget(column)
        self.columns.setAccessibleName("Playground")
        self.columns.setStretchFactor(1, 1)
        self.columns.setChildrenCollapsible(False)
        self.columns.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.columns, 1)
        layout.addWidget(self.transport)

    @Slot()
    def _clear_cell(self) -> None:
        self.store.select(cell=None)

    def _set_columns(self) -> None:
        left, right = self.look.px(CONTROLS_WIDTH), self.look.px(CHARTS_WIDTH)
        centre = max(self.width() - left - right, self.look.px(CENTRE_WIDTH))  # it shrinks last
        self.columns.setSizes([left, centre, max(1, self.width() - left - centre)])

    @Slot()
    def _on_look_changed(self) -> None:
        if self._zoom != self.look.zoom:
            self._zoom = self.look.zoom
            self._set_columns()

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & (Change.SELECTION | Change.RUNS):
            inspected = self.store.selection.cell is not None
            beside = self.inspector if inspected else self.charts
            self.right.setCurrentWidget(self.comparison.charts or beside)
