"""The last runs, one of them pinned, and whether two said the same."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kvviz.session.runs import MOST_RUNS, Run
from kvviz.ui.changes import Change
from kvviz.ui.fonts import MEDIUM
from kvviz.ui.keys import shortcut_of
from kvviz.ui.panels.panel import Panel
from kvviz.ui.panels.run_row import ROW_UNITS, RunRow
from kvviz.ui.panels.run_words import gap_words, proof_sentence, state_words, verdict
from kvviz.ui.panels.set_row import SetRow
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.prose import Prose
from kvviz.ui.widgets.tall_area import TallArea

PROVE = (
    "Run the shown prompt once more without a cache (or with one, if it had none), pin that run, "
    "and compare: the same tokens, and how far the logits are apart."
)
LAYOUTS = (
    "Run this prompt with several ways to keep the cache, and see them in one table: the same "
    "tokens or not, time, and bytes used, reserved, copied and wasted."
)
EMPTY = f"The last {MOST_RUNS} runs will be listed here; pin one as the ghost in every chart."
FEWEST_ROWS = 1.5  # there is always room for: half a row says that more scroll
BETWEEN_UNITS = 8


class ComparePanel(Panel):
    """The run list, newest first, and the proof; it takes what height there is.

    ``layouts_wanted`` asks for the question which layouts to compare.
    """

    concerns = Change.RUNS | Change.STEPS
    layouts_wanted = Signal()

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, "Compare", ["measured"], parent)
        self.prove = Button(look, "Prove it", PROVE)
        self.header.add_right(self.prove)
        self.layouts = Button(look, "Compare layouts…", LAYOUTS, shortcut=shortcut_of("compare"))
        self.verdict = Label(look, weight=MEDIUM, tone="good")
        self.gap = Prose(look, tone="secondary")
        self.empty = Prose(look, EMPTY)
        self.rows: dict[int, RunRow] = {}
        self._proved = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._proved.addWidget(self.verdict)
        self._proved.addWidget(self.gap, 1)
        self._rows_held = QWidget()
        self._list = QVBoxLayout(self._rows_held)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(0)
        self._list.addStretch(1)
        self.area = TallArea(self._rows_held, greedy=False)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.add(self.layouts)
        self.add(self._proved, gap=4)
        self.add(self.empty)
        self.add(self.area, gap=4)
        self._column.setStretchFactor(self.area, 1)
        self.prove.clicked.connect(self._on_prove)
        self.layouts.clicked.connect(self.layouts_wanted)
        self.restyle()
        self.refresh()

    @property
    def listed(self) -> list[int]:
        """The numbers of the runs on screen, top first."""
        return sorted(self.rows, key=lambda run_id: self._list.indexOf(self.rows[run_id]))

    def refresh(self) -> None:
        """List the runs and say what was proved, in its turn: a row more takes a while to make."""
        self.store.frames.ask(self._follow)

    def _follow(self) -> None:
        self._list_runs()
        self.empty.setVisible(not self.rows)
        self.prove.set_reason(self.store.prove_problem or None)
        self._show_proof()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put what was proved into one line where that fits."""
        super().resizeEvent(event)
        self._arrange_proof()

    def restyle(self) -> None:
        """Follow the zoom."""
        self._proved.setSpacing(self.look.px(BETWEEN_UNITS))
        self.area.setMinimumHeight(self.look.px(round(FEWEST_ROWS * ROW_UNITS)))

    def _arrange_proof(self) -> None:
        gap = self.gap.fontMetrics().horizontalAdvance(self.gap.text())
        needed = self.verdict.sizeHint().width() + self.look.px(BETWEEN_UNITS) + gap
        fits = self.verdict.isHidden() or needed <= self.width()
        way = QBoxLayout.Direction
        self._proved.setDirection(way.LeftToRight if fits else way.TopToBottom)

    def _list_runs(self) -> None:
        entries = {entry[0].run_id: entry for entry in self.store.runs.entries}
        kept = set(entries)
        if kept != set(self.rows):
            for gone in set(self.rows) - kept:
                row = self.rows.pop(gone)
                row.hide()
                self._list.removeWidget(row)
                row.deleteLater()
            for run_id, entry in entries.items():
                if run_id not in self.rows:
                    self.rows[run_id] = self._row_of(entry)
                    self._list.insertWidget(0, self.rows[run_id])
            self._order_tabs()
        for row in self.rows.values():
            row.refresh()

    def _row_of(self, entry: tuple[Run, ...]) -> RunRow:
        if entry[0].set_id is not None:
            return SetRow(self.store, self.look, entry)
        return RunRow(self.store, self.look, entry[0])

    def _order_tabs(self) -> None:
        before: QWidget = self.layouts
        for run_id in self.listed:
            row = self.rows[run_id]
            for widget in (row, row.pin, row.close_button):
                QWidget.setTabOrder(before, widget)
                before = widget

    def _show_proof(self) -> None:
        shown, reference = self.store.shown, self.store.runs.reference
        proof = self.store.proof
        pending = reference is not None and reference is not shown and reference.live
        self.verdict.setVisible(proof is not None)
        self.gap.setVisible(proof is not None or pending)
        if shown is None or reference is None:
            return
        if proof is not None:
            same, said = verdict(proof, shown, reference)
            self.verdict.set_tone("good" if same else "error")
            self.verdict.setText(said)
            self.gap.setText(gap_words(proof))
            for label in (self.verdict, self.gap):
                explain(label, proof_sentence(shown, reference))
        elif pending:
            self.gap.setText(f"Run {reference.run_id} is the reference, {state_words(reference)}")
            explain(self.gap, "The comparison follows when it has ended.")
        self._arrange_proof()

    @Slot()
    def _on_prove(self) -> None:
        self.store.prove()
