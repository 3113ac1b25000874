"""A batch of prompts of their own: how long each is, and what filling them up costs."""

from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kvviz.session.batch_report import batch_rows, padding_bytes, planned_places
from kvviz.session.runs import Run
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.units import bytes_text, noun_text
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.batch_bars import BatchBars
from kvviz.ui.views.rich_line import Parts, RichLine, plain
from kvviz.ui.widgets.section_header import SectionHeader
from kvviz.ui.widgets.tag import Tag

CONCERNS = Change.RUNS | Change.STEPS | Change.CURSOR


class BatchPanel(QWidget):
    """A bar for each row and the padding's cost; there only for prompts of their own."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._look = store, look
        self.waste = RichLine(look, align=Qt.AlignmentFlag.AlignRight, firm=True)
        self.shown = RichLine(look)
        self.bars = BatchBars(look)
        self._head = QHBoxLayout()
        title = SectionHeader(look, "Batch")
        title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._head.addWidget(title)
        self._head.addWidget(self.shown)
        self._head.addStretch(1)
        self._head.addWidget(Tag(look, "formula"))
        self._head.addWidget(self.waste)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._head)
        self._column.addWidget(self.bars)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAccessibleName("Batch")
        self.bars.chosen.connect(self._on_chosen)
        store.changed.connect(self._on_changed)
        look.changed.connect(self._restyle)
        self._restyle()
        self._read()

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & CONCERNS:
            self._read()

    def _read(self) -> None:
        run = self._store.shown
        rows = batch_rows(run, self._store.cursor) if run else ()
        self.setVisible(bool(rows))
        if run is None or not rows:
            return
        config = run.config
        self.shown.set_parts(*shown_parts(config.row, len(rows)))
        self.waste.set_parts(*waste_parts(run, sum(row.empty for row in rows)))
        self.bars.show_rows(rows, planned_places(run), partial(self._store.text_of, run))

    @Slot()
    def _restyle(self) -> None:
        self._head.setSpacing(self._look.px(10))
        self._column.setSpacing(self._look.px(4))

    @Slot(int)
    def _on_chosen(self, place: int) -> None:
        self._store.change("row", place)


def shown_parts(place: int, count: int) -> tuple[Parts, ...]:
    """Return which row is on screen."""
    which: Parts = (("row ", False), (f"{place + 1}", True), (" of ", False), (f"{count}", True))
    return (*which, (" is recorded and shown; click another", False)), (*which, (" shown", False))


def waste_parts(run: Run, empty: int) -> tuple[Parts, ...]:
    """Return what rows of unequal lengths cost: padding, or the ends of last blocks."""
    config, pads = run.config, sum(run.config.pads)
    if config.layout.kind is LayoutKind.PAGED:
        slots = f" empty {noun_text(empty, 'slot')}"
        return (("no padding, ", False), (f"{empty:,}", True), (slots, False)), plain("ragged")
    if not pads:
        return (plain("all alike: no padding"),)
    places: Parts = ((f"{pads:,}", True), (f" {noun_text(pads, 'place')} of padding", False))
    if not (wasted := padding_bytes(run)):
        return (places,)
    return (*places, (", ", False), (bytes_text(wasted), True), (" for nothing", False)), places
