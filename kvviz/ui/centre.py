"""The middle of the window: the grid, its heads, the cache, the tokens."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.cache_map import CacheMap
from kvviz.ui.views.grid_toolbar import GridToolbar
from kvviz.ui.views.grid_view import GridView
from kvviz.ui.views.head_strip import HeadStrip
from kvviz.ui.views.kernel_line import KernelLine
from kvviz.ui.views.prefix_panel import PrefixPanel
from kvviz.ui.views.token_strip import TokenStrip
from kvviz.ui.widgets.fold import Fold

ROOM_FOR_CACHE_MAP = 660  # px of height at zoom 1; below it the grid needs the room


class Centre(QWidget):
    """Grid and head strip side by side, cache map and tokens below them."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.grid = GridView(store, look)
        self.heads = HeadStrip(store, look)
        self.cache_map = CacheMap(store, look)
        self.kernel = KernelLine(store, look)
        self.prefix = PrefixPanel(store, look)
        self.tokens = TokenStrip(store, look)
        self.toolbar = GridToolbar(store, look, self.grid)
        self.cache_fold = Fold(look, "Cache map", self.cache_map)
        self.views = (self.grid, self.heads, self.cache_map, self.tokens)
        self._middle = QHBoxLayout()
        self._middle.addWidget(self.grid, 1)
        self._middle.addWidget(self.heads)
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self.toolbar)
        self._layout.addLayout(self._middle, 1)
        self._layout.addWidget(self.kernel)
        self._layout.addWidget(self.cache_fold)
        self._layout.addWidget(self.prefix)
        self._layout.addWidget(self.tokens)
        look.changed.connect(self._on_look_changed)
        self._on_look_changed()

    def minimumSizeHint(self) -> QSize:
        """Return the least that leaves the grid readable."""
        return QSize(self._look.px(420), self._look.px(400))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the cache map away where the grid needs the room."""
        super().resizeEvent(event)
        self.cache_fold.set_room(event.size().height() >= self._look.px(ROOM_FOR_CACHE_MAP))

    def _on_look_changed(self) -> None:
        px = self._look.px
        self._layout.setContentsMargins(px(16), px(12), px(16), px(12))
        self._layout.setSpacing(px(10))
        self._middle.setSpacing(px(16))
        self._middle.setAlignment(self.heads, Qt.AlignmentFlag.AlignTop)
        self.cache_fold.set_room(self.height() >= px(ROOM_FOR_CACHE_MAP))
