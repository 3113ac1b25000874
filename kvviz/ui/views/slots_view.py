"""What pictures of slots by layer have in common: their height, and pointing at tokens."""

from abc import abstractmethod

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvviz.session.selection import Pointer
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.explained_view import ExplainedView
from kvviz.ui.views.slot_rows import SlotRows

MARGINS = 6  # px above and below the rows
PADDING_TEXT = "padding, which no token sees"


class SlotsView(ExplainedView):
    """Two rows a layer, and pointing at the token of a slot."""

    concerns = Change.RUNS | Change.STEPS | Change.CURSOR | Change.POINTER

    def __init__(
        self, store: Store, look: ThemeManager, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(store, look, parent)
        self._layers = self._slots = 0
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        """Return room for every layer's two rows."""
        height = SlotRows.height_for(max(1, self._layers), self.look.zoom)
        return QSize(self.look.px(560), height + self._beside)

    def minimumSizeHint(self) -> QSize:
        """Return the least at which every row is still in sight."""
        least = SlotRows(1, max(1, self._layers), 100, 0, self.look.zoom, 1)
        return QSize(self.look.px(200), int(least.body.height()) + MARGINS + self._beside)

    @abstractmethod
    def token_at(self, position: QPointF) -> int | None:
        """Return the token whose slot is under ``position``; None where there is none."""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at the token whose slot this is."""
        self.store.point(Pointer(self.token_at(event.position())))

    def set_extent(self, layers: int, slots: int) -> None:
        """Take how many layers and slots there are, and ask for their room."""
        if (layers, slots) != (self._layers, self._slots):
            self._layers, self._slots = layers, slots
            self.updateGeometry()

    @property
    def padding(self) -> int:
        """Slots before the first token: in a batch the shown row may begin later than the longest.

        They are written with the first step's.
        """
        run = self.store.shown
        return run.config.row_pads[0] if run else 0

    @property
    def _beside(self) -> int:
        """Px that stand above or below the rows."""
        return 0
