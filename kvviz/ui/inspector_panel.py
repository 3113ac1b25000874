"""The cell inspector as a column of its own, in the charts' place while a cell is chosen."""

from PySide6.QtCore import QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from kvviz.session.regions import Region
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.cell_readout import read_out
from kvviz.ui.views.inspector import Inspector
from kvviz.ui.views.rich_line import RichLine
from kvviz.ui.widgets.button import IconButton
from kvviz.ui.widgets.section_header import SectionHeader


class InspectorPanel(QWidget):
    """A heading, the cell in words, and how its number arises.

    ``closed`` follows its button, ``moved`` whatever changes where its parts are.
    """

    closed = Signal()
    moved = Signal()

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._look = store, look
        self.inspector = Inspector(store, look)
        self.close_button = IconButton(
            look, "close", "Back to the charts", "Esc", kind="quiet", small=True
        )
        header = SectionHeader(look, "Cell", ("measured", "formula"), self.close_button)
        self.words = RichLine(look)
        self.area = QScrollArea()
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(self.inspector)
        self._column = QVBoxLayout(self)
        for part in (header, self.words):
            self._column.addWidget(part)
        self._column.addWidget(self.area, 1)
        set_ground(self, "bg1")
        self.setAccessibleName("Cell inspector")
        self.close_button.clicked.connect(self.closed)
        self.inspector.moved.connect(self.moved)
        self.area.verticalScrollBar().valueChanged.connect(self.moved)
        store.changed.connect(self._on_changed)
        look.changed.connect(self._restyle)
        self._restyle()

    def showEvent(self, event: QShowEvent) -> None:
        """Say which cell it is: nothing was said while it was away."""
        super().showEvent(event)
        self._show_words()

    def reveal(self, region: Region) -> bool:
        """Scroll a part of the inspector into sight; False while it has no place yet."""
        place = self.inspector.place_of(region)
        if place is None or self.inspector.height() < self.inspector.minimumSizeHint().height():
            return False
        middle, half = round(place.center().y()), round(place.height() / 2)
        self.area.ensureVisible(0, middle, 0, half + self._look.px(8))
        return True

    def place_of(self, region: Region) -> QRectF | None:
        """Return where a region is, in the panel's px, as far as it is in sight; None without."""
        if region is Region.INSPECTOR:
            return QRectF(self.rect())
        place = self.inspector.place_of(region)
        if place is None:
            return None
        viewport = self.area.viewport()
        origin = QPointF(self.inspector.mapTo(self, self.inspector.rect().topLeft()))
        corner = QPointF(viewport.mapTo(self, viewport.rect().topLeft()))
        return place.translated(origin).intersected(QRectF(corner, viewport.size().toSizeF()))

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & (Change.SELECTION | Change.CURSOR | Change.RUNS) and self.isVisible():
            self._show_words()

    def _show_words(self) -> None:
        readout = read_out(self._store, self._store.selection.cell)
        if readout is None:
            self.words.set_parts(())
        else:
            self.words.set_parts(readout.parts, *readout.shorter)

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._column.setContentsMargins(px(16), px(12), px(12), px(12))
        self._column.setSpacing(px(8))
        self._show_words()
