"""The middle of the window: the grid, its heads, the cache, the tokens."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.batch_panel import BatchPanel
from kvviz.ui.views.cache_map import CacheMap
from kvviz.ui.views.grid_corner import GridCorner
from kvviz.ui.views.grid_toolbar import GridToolbar
from kvviz.ui.views.grid_view import GridView
from kvviz.ui.views.head_strip import HeadStrip
from kvviz.ui.views.kernel_facts import KernelFacts
from kvviz.ui.views.prefix_panel import PrefixPanel
from kvviz.ui.views.token_strip import TokenStrip
from kvviz.ui.widgets.fold import Fold

if TYPE_CHECKING:
    from kvviz.ui.comparison.page import ComparisonPage

ROOM_FOR_CACHE_MAP = 600  # px of height at zoom 1; below it the grid needs the room
ROOM_FOR_ALL = 700  # px of height at zoom 1; below it what stands under the grid is lower
ROOM_FOR_REASONS = 450  # below it the grid needs what all but the first miss of a prefix takes
ROOM_FOR_HEADS = 480  # px of width at zoom 1; below it the list above the grid has the heads
NARROWEST = 344
TALLER_THAN_GRID = 60  # px that a comparison's table needs more than the grid does


class Centre(QWidget):
    """Grid and head strip side by side, cache map and tokens below them.

    The table of a comparison stands in the grid's place; ``layouts_wanted`` asks for another one.
    """

    layouts_wanted = Signal()

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._look = store, look
        self._wants_heads = False
        self._spares_panels = False
        self.grid = GridView(store, look)
        self.heads = HeadStrip(store, look)
        self.cache_map = CacheMap(store, look)
        self.kernel = KernelFacts(store, look)
        self.prefix = PrefixPanel(store, look)
        self.batch = BatchPanel(store, look)
        self.tokens = TokenStrip(store, look)
        self.toolbar = GridToolbar(store, look)
        self.corner = GridCorner(store, look, self.grid)
        self.cache_fold = Fold(look, "Cache map", self.cache_map)
        self.views = (self.grid, self.heads, self.cache_map, self.tokens)
        self.comparison: ComparisonPage | None = None
        self._attention = QWidget()
        self._middle = QHBoxLayout()
        self._beside = QVBoxLayout()
        self._beside.addWidget(self.heads)
        self._beside.addWidget(self.kernel)
        self._beside.addStretch(1)
        self._middle.addLayout(self.corner.over(self.grid), 1)
        self._middle.addLayout(self._beside)
        self._upper = QVBoxLayout(self._attention)
        self._upper.setContentsMargins(0, 0, 0, 0)
        self._upper.addWidget(self.toolbar)
        self._upper.addLayout(self._middle, 1)
        self.pages = QStackedWidget()
        self.pages.addWidget(self._attention)
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self.pages, 1)
        self._layout.addWidget(self.cache_fold)
        self._layout.addWidget(self.prefix)
        self._layout.addWidget(self.batch)
        self._layout.addWidget(self.tokens)
        store.changed.connect(self._on_changed)
        look.changed.connect(self._on_look_changed)
        self._on_look_changed()

    def minimumSizeHint(self) -> QSize:
        """Return the least that leaves the grid readable."""
        return QSize(self._look.px(NARROWEST), self._look.px(400))

    def want_heads(self, wanted: bool) -> None:
        """Show the heads even where the grid needs their room."""
        self._wants_heads = wanted
        self._fold()

    def spare_panels(self, spare: bool) -> None:
        """Let the cache map, where it is shown without room for it, have that of those below."""
        self._spares_panels = spare
        self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the grid the room it needs."""
        super().resizeEvent(event)
        self._fold()

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & Change.RUNS:
            self._show_page()
            self._fold()

    def _show_page(self) -> None:
        compared = bool(self._store.runs.compared)
        if compared and self.comparison is None:
            from kvviz.ui.comparison.page import ComparisonPage  # few need it, none at the start

            self.comparison = ComparisonPage(self._store, self._look)
            self.comparison.change_wanted.connect(self.layouts_wanted)
            self.pages.addWidget(self.comparison)
        page = self.comparison if compared and self.comparison else self._attention
        if page is not self.pages.currentWidget():
            self.pages.setCurrentWidget(page)
            (self.comparison.view if page is self.comparison else self.grid).setFocus()

    def _fold(self) -> None:
        """Make lower, or fold away, what takes the room that grid and panels need."""
        px = self._look.px
        narrow = self.width() < px(ROOM_FOR_HEADS) and not self._wants_heads
        self.heads.setVisible(not narrow)
        self.kernel.set_flat(narrow)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._middle.setDirection(way)
        low = self.height() < px(ROOM_FOR_ALL)
        self.cache_map.set_low(low)
        self.tokens.set_lines(1 if low else 2)
        panels = (self.prefix, self.batch)
        needed = px(ROOM_FOR_CACHE_MAP)
        needed += sum(panel.sizeHint().height() for panel in panels if panel.there)
        needed += px(TALLER_THAN_GRID) if self._store.runs.compared else 0
        self.cache_fold.set_room(self.height() >= needed)
        self.prefix.set_low(self.height() < px(ROOM_FOR_REASONS))
        for panel in panels:
            panel.spare(self._spares_panels and self.cache_fold.squeezed)

    def _on_look_changed(self) -> None:
        px = self._look.px
        self._layout.setContentsMargins(px(16), px(12), px(16), px(12))
        for column in (self._layout, self._upper):
            column.setSpacing(px(10))
        self._middle.setSpacing(px(16))
        self._fold()
