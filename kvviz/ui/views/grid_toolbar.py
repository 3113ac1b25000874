"""The row above the grid: what is shown of the run, and what the cell pointed at says."""

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kvviz.session.selection import Aggregate, GridMode
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.cell_readout import cell_in_question, read_out, variants
from kvviz.ui.views.rich_line import RichLine, plain
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.dropdown import Dropdown
from kvviz.ui.widgets.segmented import Segmented

READOUT_ROOM = 300  # px kept for the cell pointed at, all of it; what is in the menu too goes first
READOUT_LEAST = 190  # where the row has less, the readout takes a line of its own below it
HEIGHT, LINE = 32, 24
CONCERNS = Change.RUNS | Change.STEPS | Change.CURSOR | Change.SELECTION | Change.POINTER
HINT = plain("point at a cell: score and weight"), plain("point at a cell"), ()


class GridToolbar(QWidget):
    """Phase or weights, layer, head, mean, max; the readout at right."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._look = look
        self._shape = (0, 0)
        self._last_head = 0
        self._question: object = ()
        self.mode = Segmented(
            look,
            [
                (GridMode.PHASE, "Phase", "Hue says what computed a cell: prefill or decode."),
                (GridMode.WEIGHTS, "Weights", "One colour map for attention weights."),
            ],
            name="What colours mean",
        )
        self.layer = Dropdown(
            look, [(0, "Layer 0", "")], name="Layer", tooltip="The layer whose attention is shown."
        )
        self.head = Dropdown(
            look,
            [(0, "Head 0", "")],
            name="Head",
            tooltip="The query head shown, or the mean or maximum over all of the layer's heads.",
        )
        self.together = QFrame()
        self.mean = self._segment(
            "mean", "The mean weight over the layer's heads. Again: one head."
        )
        self.max = self._segment("max", "The largest weight of any head. Again: one head.")
        self.readout = RichLine(look, align=Qt.AlignmentFlag.AlignRight)
        self._column = QVBoxLayout(self)
        self._row = QHBoxLayout()
        self._lay_out()
        self._connect()
        look.changed.connect(self._restyle)
        self._restyle()
        self._read(Change.ALL)

    def sizeHint(self) -> QSize:
        """Return room for all controls and a readout."""
        return QSize(self._look.px(820), self._height())

    def minimumSizeHint(self) -> QSize:
        """Return room for what is not in the menu too."""
        parts = (self.mode, self.layer, self.head)
        width = sum(part.sizeHint().width() + self._row.spacing() for part in parts)
        return QSize(width, self._height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave to the menu what has no room here."""
        super().resizeEvent(event)
        self._collapse()

    def _segment(self, word: str, tooltip: str) -> Button:
        button = Button(self._look, word, tooltip)
        button.setProperty("role", "segment")
        button.setCheckable(True)
        return button

    def _lay_out(self) -> None:
        inner = QHBoxLayout(self.together)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(self._look.px(2))
        for button in (self.mean, self.max):
            inner.addWidget(button)
        self.together.setProperty("role", "segmented")
        self.together.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._row)
        for part in (self.mode, self.layer, self.head, self.together):
            self._row.addWidget(part)
        self._row.addStretch(0)  # for where the readout is not here
        self._row.addWidget(self.readout, 1)

    def _connect(self) -> None:
        self.mode.chosen.connect(self._on_mode)
        self.layer.chosen.connect(self._on_layer)
        self.head.chosen.connect(self._on_head)
        self.mean.clicked.connect(self._on_mean)
        self.max.clicked.connect(self._on_max)
        self._store.changed.connect(self._on_changed)

    @Slot(object)
    def _on_mode(self, value: object) -> None:
        self._store.select(mode=value)

    @Slot(object)
    def _on_layer(self, value: object) -> None:
        self._store.select(layer=value)

    @Slot(object)
    def _on_head(self, value: object) -> None:
        self._store.select(head=value)

    @Slot()
    def _on_mean(self) -> None:
        self._toggle(Aggregate.MEAN)

    @Slot()
    def _on_max(self) -> None:
        self._toggle(Aggregate.MAX)

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & CONCERNS:
            self._read(changes)

    def _read(self, changes: Change) -> None:
        if changes & (Change.RUNS | Change.SELECTION):
            self._read_selection()
        # A cell once computed stays as it is, however far the run goes on.
        store, cell = self._store, cell_in_question(self._store)
        computed = cell is not None and cell[0] < store.rows
        question = (store.shown, cell, computed, store.selection.layer, store.selection.head)
        if question == self._question:
            return
        self._question = question
        readout = read_out(store, cell)
        self.readout.set_parts(*(variants(readout) if readout else HINT))
        self.readout.setToolTip(f"<qt>{readout.explanation}</qt>" if readout else "")

    def _read_selection(self) -> None:
        run, selection = self._store.shown, self._store.selection
        shape = run.config.model.shape if run else None
        sizes = (shape.num_layers, shape.num_heads) if shape else (1, 1)
        if sizes != self._shape:
            self._shape = sizes
            self.layer.set_options([(i, f"Layer {i}", "") for i in range(sizes[0])])
            heads: list[tuple[object, str, str]] = [(i, f"Head {i}", "") for i in range(sizes[1])]
            heads += [(Aggregate.MEAN, "mean", ""), (Aggregate.MAX, "max", "")]
            self.head.set_options(heads)
            self._collapse()
        self.mode.set_value(selection.mode)
        self.layer.set_value(selection.layer)
        self.head.set_value(selection.head)
        self.mean.setChecked(selection.head is Aggregate.MEAN)
        self.max.setChecked(selection.head is Aggregate.MAX)
        if not isinstance(selection.head, Aggregate):
            self._last_head = selection.head

    def _toggle(self, aggregate: Aggregate) -> None:
        chosen = self._store.selection.head is aggregate
        self._store.select(head=self._last_head if chosen else aggregate)

    def _collapse(self) -> None:
        px, spacing = self._look.px, self._row.spacing()
        room = self.width() - px(READOUT_ROOM) - spacing
        for part in (self.mode, self.layer, self.head):
            room -= part.sizeHint().width() + spacing
        self.together.setVisible(room >= self.together.sizeHint().width() + spacing)
        self._put_readout(below=room + px(READOUT_ROOM) < px(READOUT_LEAST))

    @property
    def _below(self) -> bool:
        return self._column.count() > 1

    def _height(self) -> int:
        return self._look.px(HEIGHT + LINE if self._below else HEIGHT)

    def _put_readout(self, *, below: bool) -> None:
        if below == self._below:
            return
        before, after = (self._row, self._column) if below else (self._column, self._row)
        before.removeWidget(self.readout)
        after.addWidget(self.readout, 0 if below else 1)
        self.updateGeometry()

    def _restyle(self) -> None:
        self._row.setSpacing(self._look.px(8))
        self._column.setSpacing(self._look.px(4))
        self._collapse()
