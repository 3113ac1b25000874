"""What block-wise attention did in the step at the cursor, in a few short lines."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from kvviz.session.gap_text import gap_text
from kvviz.session.key_order import KeyOrder, key_order
from kvviz.session.tiling import Tiling, kernel_gap, tiling
from kvviz.sizing.kernel import Kernel
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.rich_line import Parts, RichLine, plain
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.section_header import SectionHeader

CONCERNS = Change.RUNS | Change.STEPS | Change.CURSOR | Change.SELECTION
WHAT = (
    "Block-wise attention keeps one tile of scores at a time, with each row's largest score, sum "
    "and output so far; tiles that are masked as a whole are skipped. It is exact, and it does not "
    "shrink the cache: K and V stay as large as they are."
)
ORDERS = {
    KeyOrder.TEXT: ("", ""),
    KeyOrder.RING: (
        ", in ring order",
        " Keys come in the order of the ring's slots, so on the grid a tile may lie in pieces.",
    ),
    KeyOrder.BLOCKS: (
        ", whole blocks",
        " Rows of unequal lengths are all read as whole blocks up to the longest one's end: tiles "
        "begin where they do from there.",
    ),
}


class KernelFacts(QWidget):
    """Tiles computed and skipped, the largest difference from eager; only for that kernel."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._look = store, look
        self.side, self.tiles, self.gap, self.cache = (
            RichLine(look, size=11, firm=True) for _ in range(4)
        )
        self._measured = SectionHeader(look, "Gap", ["measured"])
        self._row = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        tiles = SectionHeader(look, "Tiles", ["formula"])
        for part in (tiles, self.side, self.tiles, self._measured, self.gap, self.cache):
            self._row.addWidget(part)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.cache.set_parts(plain("exact; no smaller cache"), plain("exact"), ())
        store.changed.connect(self._on_changed)
        look.changed.connect(self._restyle)
        self._restyle()
        self._read()

    def set_flat(self, flat: bool) -> None:
        """Stand in one line, or one below the other."""
        way = QBoxLayout.Direction.LeftToRight if flat else QBoxLayout.Direction.TopToBottom
        self._row.setDirection(way)
        self._restyle()

    @property
    def text(self) -> str:
        """Everything said, as plain text."""
        lines = (self.side, self.tiles, self.gap, self.cache)
        return "\n".join(line.text for line in lines if line.text)

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & CONCERNS:
            self._read()

    def _read(self) -> None:
        run, step = self._store.shown, self._store.step
        blockwise = run is not None and run.config.kernel is Kernel.BLOCKWISE
        self.setVisible(blockwise)
        if run is None or not blockwise:
            return
        tile = f"{run.config.tile:,}"
        order, meaning = ORDERS[key_order(run.config)]
        side: Parts = ((f"{tile} \N{MULTIPLICATION SIGN} {tile}", True),)
        self.side.set_parts((*side, (order, False)), side, ())
        for line in (self.side, self.tiles, self.gap, self.cache):
            explain(line, WHAT + meaning)
        found = tiling(run.trace, step, self._store.selection.layer) if step else None
        self.tiles.set_parts(*(tiles_parts(found) if found else ()))
        gap = kernel_gap(run.trace, self._store.cursor)
        self._measured.setVisible(gap is not None)
        self.gap.set_parts(*(() if gap is None else gap_parts(gap)))

    @Slot()
    def _restyle(self) -> None:
        flat = self._row.direction() is QBoxLayout.Direction.LeftToRight
        self._row.setSpacing(self._look.px(8) if flat else 0)


def tiles_parts(found: Tiling) -> tuple[Parts, ...]:
    """Return how many tiles a head went through; the longest way first."""
    count: Parts = ((f"{len(found.tiles):,}", True),)
    done: Parts = (*count, (" computed", False))
    if not found.skipped:
        return done, count
    return (*done, (", ", False), (f"{found.skipped:,}", True), (" skipped", False)), done, count


def gap_parts(gap: float) -> tuple[Parts, ...]:
    """Return the largest difference from eager attention; the longest way first."""
    number: Parts = ((gap_text(gap), True),)
    short: Parts = (*number, (" from eager", False))
    return (("at most ", False), *short), short, number
