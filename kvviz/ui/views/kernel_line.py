"""What block-wise attention did in the step at the cursor, in one line below the grid."""

from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from kvviz.session.gap_text import gap_text
from kvviz.session.tiling import Tiling, kernel_gap, tiling
from kvviz.sizing.kernel import Kernel
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.rich_line import Parts, RichLine, plain
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.tag import Tag

CONCERNS = Change.RUNS | Change.STEPS | Change.CURSOR | Change.SELECTION
WHAT = (
    "Block-wise attention keeps one tile of scores at a time, with each row's largest score, sum "
    "and output so far; tiles that are masked as a whole are skipped. It is exact, and it does not "
    "shrink the cache: K and V stay as large as they are."
)
AS_LARGE = plain("exact; no smaller cache")


class KernelLine(QWidget):
    """Tiles computed and skipped, the largest difference from eager; only for that kernel."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._look = store, look
        self.tiles, self.cache = RichLine(look, size=11), RichLine(look, size=11)
        self.gap = RichLine(look, size=11, firm=True)
        self._formula, self._measured = Tag(look, "formula"), Tag(look, "measured")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        for part in (self.tiles, self._formula, self.gap, self._measured, self.cache):
            self._row.addWidget(part)
        self._row.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for line in (self.tiles, self.gap, self.cache):
            explain(line, WHAT)
        self.cache.set_parts(AS_LARGE)
        store.changed.connect(self._on_changed)
        look.changed.connect(self._restyle)
        self._restyle()
        self._read()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave to the tooltip what has no room."""
        super().resizeEvent(event)
        self._fit()

    @property
    def text(self) -> str:
        """The whole line as plain text."""
        return " ".join(line.text for line in (self.tiles, self.gap, self.cache) if line.text)

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
        found = tiling(run.trace, step, self._store.selection.layer) if step else None
        self.tiles.set_parts(*tiles_parts(run.config.tile, found))
        gap = kernel_gap(run.trace, self._store.cursor)
        self._measured.setVisible(gap is not None)
        self.gap.set_parts(() if gap is None else gap_parts(gap))
        self._fit()

    def _fit(self) -> None:
        lines = (self.tiles, self._formula, self.gap, self._measured, self.cache)
        needed = sum(part.sizeHint().width() + self._row.spacing() for part in lines)
        self.cache.setVisible(needed <= self.width())

    @Slot()
    def _restyle(self) -> None:
        self._row.setSpacing(self._look.px(8))


def tiles_parts(side: int, found: Tiling | None) -> tuple[Parts, ...]:
    """Return how large tiles are, and how many a head went through; the longest way first."""
    size = f"{side:,} \N{MULTIPLICATION SIGN} {side:,}"
    short: Parts = (("tiles of ", False), (size, True))
    if found is None:
        return (short,)
    parts: Parts = (*short, (": ", False), (f"{len(found.tiles):,}", True), (" computed", False))
    if not found.skipped:
        return parts, short
    return (*parts, (", ", False), (f"{found.skipped:,}", True), (" skipped", False)), parts, short


def gap_parts(gap: float) -> Parts:
    """Return the largest difference from eager attention."""
    return ("at most ", False), (gap_text(gap), True), (" from eager", False)
