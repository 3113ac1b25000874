"""The cache as it lies in memory, with what it takes."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kvviz.session.runs import Run
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.step import Step
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import byte_text
from kvviz.ui.views.cache_slots import CacheSlots
from kvviz.ui.views.rich_line import Parts, RichLine, plain
from kvviz.ui.widgets.section_header import SectionHeader
from kvviz.ui.widgets.tag import Tag

TIMES = "\N{MULTIPLICATION SIGN}"
CONCERNS = Change.RUNS | Change.STEPS | Change.CURSOR


class CacheMap(QWidget):
    """A heading that says how large it is and how full, and its slots below."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._look = look
        self.slots = CacheSlots(store, look)
        self.extent = RichLine(look)
        self.usage = RichLine(look, align=Qt.AlignmentFlag.AlignRight, firm=True)
        self._tag = Tag(look, "measured")
        self._row = QHBoxLayout()
        self._row.setContentsMargins(0, 0, 0, 0)
        self._title = SectionHeader(look, "Cache map")
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._row.addWidget(self._title)
        self._row.addWidget(self.extent)
        self._row.addStretch(1)
        self._row.addWidget(self._tag)
        self._row.addWidget(self.usage)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._row)
        self._column.addWidget(self.slots, 1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAccessibleName("Cache map")
        store.changed.connect(self._on_changed)
        look.changed.connect(self._restyle)
        self._restyle()
        self._read()

    def _on_changed(self, changes: Change) -> None:
        if changes & CONCERNS:
            self._read()

    def _read(self) -> None:
        run, step = self._store.shown, self._store.step
        self.extent.set_parts(*(extent_variants(run) if run else ()))
        self._tag.setVisible(step is not None)
        self.usage.set_parts(usage_parts(run, step) if run and step else ())

    def _restyle(self) -> None:
        self._row.setSpacing(self._look.px(10))
        self._column.setSpacing(self._look.px(6))


def extent_variants(run: Run) -> tuple[Parts, ...]:
    """Return how many slots of how many values there are; the longest way first."""
    shape, config = run.config.model.shape, run.config
    if not config.layout.keeps_entries:
        return ()
    layers = f"{shape.num_layers} layer{'s' if shape.num_layers > 1 else ''}"
    batch = f" {TIMES} {config.batch} sequences" if config.batch > 1 else ""
    slots = "a slot per token"
    if config.layout.kind is LayoutKind.PREALLOCATED:
        slots = f"{config.max_seq_len:,} slots"
    pairs = f"{layers} {TIMES} K,V"
    short = f"{pairs} {TIMES} {slots}"
    values = f" of {shape.num_kv_heads * shape.head_dim:,} values"
    return (plain(short + values + batch), plain(short + batch), plain(pairs))


def usage_parts(run: Run, step: Step) -> Parts:
    """Return what is used of what is reserved, or what the step had to copy."""
    used = " ".join(byte_text(step.measured.used))
    kind = run.config.layout.kind
    if kind is LayoutKind.PREALLOCATED:
        reserved = " ".join(byte_text(step.measured.reserved))
        return (
            ("used ", False),
            (used, True),
            (" of ", False),
            (reserved, True),
            (" reserved", False),
        )
    if kind is LayoutKind.CONCAT:
        copied = " ".join(byte_text(step.measured.copied))
        return (
            ("used ", False),
            (used, True),
            (" · concat copied ", False),
            (copied, True),
            (" in this step", False),
        )
    return (("used ", False), (used, True))
