"""A batch of prompts of their own: how long each is, and what filling them up costs."""

from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QWidget

from kvviz.session.batch_report import batch_rows, padding_bytes, planned_places
from kvviz.session.runs import Run
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.units import bytes_text, noun_text
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.batch_bars import BatchBars
from kvviz.ui.views.fact_panel import FactPanel
from kvviz.ui.views.rich_line import Parts, RichLine, plain
from kvviz.ui.widgets.tag import Tag


class BatchPanel(FactPanel):
    """A bar for each row and the padding's cost; there only for prompts of their own."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, "Batch", parent)
        self.waste = RichLine(look, align=Qt.AlignmentFlag.AlignRight, firm=True)
        self.shown = RichLine(look)
        self.bars = BatchBars(look)
        self.add_head(self.shown, Tag(look, "formula"), self.waste)
        self.add_row(self.bars)
        self.bars.chosen.connect(self._on_chosen)
        self.refresh()

    def refresh(self) -> None:
        """Show the rows of the run on screen."""
        run = self.store.shown
        rows = batch_rows(run, self.store.cursor) if run else ()
        self.set_there(bool(rows))
        if run is None or not rows:
            return
        self.shown.set_parts(*shown_parts(run.config.row, len(rows)))
        self.waste.set_parts(*waste_parts(run, sum(row.empty for row in rows)))
        self.bars.show_rows(rows, planned_places(run), partial(self.store.text_of, run))

    @Slot(int)
    def _on_chosen(self, place: int) -> None:
        self.store.change("row", place)


def shown_parts(place: int, count: int) -> tuple[Parts, ...]:
    """Return which row is on screen."""
    which: Parts = (("row ", False), (f"{place + 1}", True), (" of ", False), (f"{count}", True))
    said: Parts = (*which, (" is recorded and shown; click another", False))
    return said, (*which, (" shown", False)), which, which[1:]


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
