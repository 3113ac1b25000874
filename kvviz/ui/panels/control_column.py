"""The left of the window: everything that can be set, and the runs it led to."""

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from kvviz.ui.panels.cache_panel import CachePanel
from kvviz.ui.panels.compare_panel import ComparePanel
from kvviz.ui.panels.generation_panel import GenerationPanel
from kvviz.ui.panels.prompt_panel import PromptPanel
from kvviz.ui.panels.shape_panel import ShapePanel
from kvviz.ui.store import Store
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.hairline import Hairline
from kvviz.ui.widgets.tall_area import TallArea

WIDTH_UNITS = 280
WIDEST_UNITS = 420
MARGIN_UNITS = 16
BAR_UNITS = 8  # the style sheet's scroll bar
GAP_UNITS = 7  # above and below the hairline between two panels


class ControlColumn(QWidget):
    """Four panels that scroll where they do not fit, and below them, always in sight, the runs."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._fitting = False
        self.prompt = PromptPanel(store, look)
        self.shape_panel = ShapePanel(store, look)
        self.cache = CachePanel(store, look)
        self.generation = GenerationPanel(store, look)
        self.compare = ComparePanel(store, look)
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        for panel in (self.prompt, self.shape_panel, self.cache, self.generation):
            if panel is not self.prompt:
                self._column.addWidget(Hairline())
            self._column.addWidget(panel)
        self._column.addStretch(1)
        self.area = TallArea(self._content)
        self.area.verticalScrollBar().rangeChanged.connect(self._fit_margins)
        self._foot = QVBoxLayout()
        self._foot.addWidget(self.compare)
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.setSpacing(0)
        self._whole.addWidget(self.area)
        self._whole.addWidget(Hairline())
        self._whole.addLayout(self._foot, 1)
        set_ground(self, "bg1")
        self.setAccessibleName("Controls")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        look.changed.connect(self._restyle)
        self._restyle()

    def sizeHint(self) -> QSize:
        """Return the drawn width and the height of everything."""
        height = self._content.sizeHint().height() + self._foot.sizeHint().height()
        return QSize(self._least_width(), height)

    def minimumSizeHint(self) -> QSize:
        """Return the drawn width; the height scrolls."""
        return QSize(self._least_width(), self._foot.minimumSize().height() + self._look.px(120))

    def _least_width(self) -> int:
        # Small zooms round up: a little more than the drawn width is better than a clipped word.
        bar = self._look.px(BAR_UNITS) if self._scrolls else 0
        return max(self._look.px(WIDTH_UNITS), self._content.minimumSizeHint().width() + bar)

    @property
    def _scrolls(self) -> bool:
        return self.area.verticalScrollBar().maximum() > 0

    @Slot()
    def _restyle(self) -> None:
        self._column.setSpacing(self._look.px(GAP_UNITS))
        self.setMaximumWidth(self._look.px(WIDEST_UNITS))
        self._fit_margins()
        self.updateGeometry()

    @Slot()
    def _fit_margins(self) -> None:
        # The bar stands in the margin, so that nothing moves when it comes or goes.
        if self._fitting:  # a margin breaks lines anew, and the bar may go again for that
            return
        self._fitting = True
        px = self._look.px
        bar = px(BAR_UNITS) if self._scrolls else 0
        self._column.setContentsMargins(px(MARGIN_UNITS), px(8), px(MARGIN_UNITS) - bar, px(6))
        self._foot.setContentsMargins(px(MARGIN_UNITS), px(6), px(MARGIN_UNITS), px(6))
        self._fitting = False
