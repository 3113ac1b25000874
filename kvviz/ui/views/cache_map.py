"""The cache as it lies in memory, with what it takes."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kvviz.sizing.layout import LayoutKind
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.block_pool_view import BlockPoolView
from kvviz.ui.views.block_words import pool_words
from kvviz.ui.views.cache_slots import BEFORE, CacheSlots
from kvviz.ui.views.cache_words import GIVEN_BACK, extent_variants, usage_variants
from kvviz.ui.views.error_slots import ErrorSlots
from kvviz.ui.views.error_words import quantized_words
from kvviz.ui.views.rich_line import Parts, RichLine, plain
from kvviz.ui.views.ring_slots import RingSlots
from kvviz.ui.views.ring_words import ring_words
from kvviz.ui.views.view import View
from kvviz.ui.widgets.section_header import SectionHeader
from kvviz.ui.widgets.tag import Tag

CONCERNS = Change.RUNS | Change.STEPS | Change.CURSOR
LOW = 150  # px at zoom 1 that a low one takes, unless its picture needs more


class CacheMap(QWidget):
    """A heading that says how large it is and how full; below it the picture of its layout."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._look = look
        self._low = False
        self.slots = CacheSlots(store, look)
        self.pool = BlockPoolView(store, look)
        self.ring = RingSlots(store, look)
        self.errors = ErrorSlots(store, look)
        self.extent = RichLine(look)
        # The figures on the right come first: this takes what they leave.
        self.extent.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.usage = RichLine(look, align=Qt.AlignmentFlag.AlignRight, firm=True)
        self.caption = RichLine(look, size=11)
        self._tag = Tag(look, "measured")
        self._row = QHBoxLayout()
        self._row.setContentsMargins(0, 0, 0, 0)
        self._title = SectionHeader(look, "Cache map")
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._row.addWidget(self._title)
        self._row.addWidget(self.extent, 1)
        self._row.addWidget(self._tag)
        self._row.addWidget(self.usage)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._row)
        for view in self.views:
            self._column.addWidget(view, 1)
        self._column.addWidget(self.caption)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAccessibleName("Cache map")
        store.changed.connect(self._on_changed)
        look.changed.connect(self._restyle)
        self._restyle()
        self._read()
        self._show_caption()

    def set_low(self, low: bool) -> None:
        """Ask for less height than all would read best in, or for that."""
        if low != self._low:
            self._low = low
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return the height in which all reads well; of a low one, in which it can be read."""
        size = super().sizeHint()
        if self._low:
            least = max(self.minimumSizeHint().height(), self._look.px(LOW))
            size.setHeight(min(size.height(), least))
        return size

    @property
    def views(self) -> tuple[View, ...]:
        """Every picture there is, shown or not."""
        return self.slots, self.pool, self.ring, self.errors

    @property
    def view(self) -> View:
        """The picture of the shown run's layout."""
        run = self._store.shown
        pictures = {
            LayoutKind.PAGED: self.pool,
            LayoutKind.SLIDING: self.ring,
            LayoutKind.QUANTIZED: self.errors,
        }
        return pictures.get(run.config.layout.kind, self.slots) if run else self.slots

    def _on_changed(self, changes: Change) -> None:
        if changes & CONCERNS:
            self._read()
            # In its turn, behind the pictures': the caption says what is drawn.
            self._store.frames.ask(self._show_caption)

    def _read(self) -> None:
        run, step = self._store.shown, self._store.step
        shown = self.view
        for view in self.views:
            view.setVisible(view is shown)
        self.extent.set_parts(*(extent_variants(run) if run else ()))
        self._tag.setVisible(step is not None)
        gone = run is not None and run.gone_at(self._store.cursor)
        usage = usage_variants(run, step) if run and step else ()
        self.usage.set_parts(*((GIVEN_BACK,) if gone else usage))

    def _show_caption(self) -> None:
        if self.view.behind:  # it changed again while this waited for its turn
            self._store.frames.ask(self._show_caption)
            return
        caption = self._caption()
        self.caption.set_parts(*caption)
        self.caption.setVisible(bool(caption))

    def _caption(self) -> tuple[Parts, ...]:
        run, step, view = self._store.shown, self._store.step, self.view
        if run is None or view is self.slots:
            return ()
        if step is None:
            return (plain(BEFORE),)
        config = run.config
        if view is self.pool and self.pool.picture is not None:
            return pool_words(self.pool.picture)
        if view is self.ring:
            pieces = [token.piece for token in self._store.tokens]
            return ring_words(config.layout, step.seq_len, config.max_seq_len, pieces)
        return quantized_words(run.trace, step)

    def _restyle(self) -> None:
        self._row.setSpacing(self._look.px(10))
        self._column.setSpacing(self._look.px(6))
