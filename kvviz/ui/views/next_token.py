"""What the model thought likely, and which of it was taken."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kvviz.trace.config import Sampling
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.candidate_bars import CandidateBars
from kvviz.ui.views.rich_line import Parts, RichLine, plain
from kvviz.ui.widgets.section_header import SectionHeader
from kvviz.ui.widgets.tag import Tag


class NextToken(QWidget):
    """A heading that says how the token is chosen, and the likeliest ones as bars."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._look = look
        self.bars = CandidateBars(store, look)
        self.rule = RichLine(look, align=Qt.AlignmentFlag.AlignRight)
        self._tag = Tag(look, "measured")
        title = SectionHeader(look, "Next token")
        title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._row = QHBoxLayout()
        self._row.setContentsMargins(0, 0, 0, 0)
        for part in (title, self._tag):
            self._row.addWidget(part)
        self._row.addWidget(self.rule, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._row)
        self._column.addWidget(self.bars)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Next token")
        store.changed.connect(self._on_changed)
        look.changed.connect(self._restyle)
        self._restyle()
        self._read()

    def _on_changed(self, changes: Change) -> None:
        if changes & (Change.RUNS | Change.CURSOR):
            self._read()

    def _read(self) -> None:
        run = self._store.shown
        self._tag.setVisible(bool(self.bars.candidates))
        self.rule.set_parts(*(rules(run.config.sampling) if run else ()))

    def _restyle(self) -> None:
        self._row.setSpacing(self._look.px(10))
        self._column.setSpacing(self._look.px(8))


def rules(sampling: Sampling) -> tuple[Parts, ...]:
    """Return how a token is chosen, the longest way to say it first."""
    if sampling.greedy:
        return plain("greedy takes the first"), plain("greedy")
    parts = [f"temperature {sampling.temperature:g}"]
    if sampling.top_k:
        parts.append(f"top-k {sampling.top_k}")
    if sampling.top_p < 1:
        parts.append(f"top-p {sampling.top_p:g}")
    short = parts[0].replace("temperature", "T")
    return (
        plain("sampled: " + ", ".join(parts)),
        plain("sampled: " + ", ".join([short, *parts[1:]])),
        plain(", ".join([short, *parts[1:]])),
        plain("sampled"),
    )
