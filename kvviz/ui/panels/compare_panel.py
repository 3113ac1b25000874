"""The last runs, one of them pinned, and whether two said the same."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvviz.session.runs import MOST_RUNS
from kvviz.ui.changes import Change
from kvviz.ui.fonts import MEDIUM
from kvviz.ui.panels.panel import Panel, yield_width
from kvviz.ui.panels.run_row import RunRow
from kvviz.ui.panels.run_words import gap_words, proof_sentence, state_words, verdict
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.label import Label

PROVE = (
    "Run the shown prompt once more without a cache (or with one, if it had none), pin that run, "
    "and compare: the same tokens, and how far the logits are apart."
)
EMPTY = (
    f"The last {MOST_RUNS} runs will be listed here, with what each measured. Pin one and it "
    "stays as a ghost in every chart."
)


class ComparePanel(Panel):
    """The run list, newest first, and the proof."""

    concerns = Change.RUNS | Change.STEPS

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, "Compare", ["measured"], parent)
        self.prove = Button(look, "Prove it", PROVE)
        self.header.add_right(self.prove)
        self.verdict = Label(look, weight=MEDIUM, tone="good")
        self.gap = Label(look, size=11, tone="secondary")
        self.empty = Label(look, EMPTY, size=11, tone="muted")
        self.rows: dict[int, RunRow] = {}
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        for label in (self.verdict, self.gap, self.empty):
            label.setWordWrap(True)
            yield_width(label)
            self.add(label)
        self.add(self._list, gap=4)
        self.prove.clicked.connect(self._on_prove)
        self.refresh()

    @property
    def listed(self) -> list[int]:
        """The numbers of the runs on screen, top first."""
        return sorted(self.rows, key=lambda run_id: self._list.indexOf(self.rows[run_id]))

    def refresh(self) -> None:
        """List the runs and say what was proved."""
        self._list_runs()
        self.empty.setVisible(not self.rows)
        self.prove.set_reason(self.store.prove_problem or None)
        self._show_proof()

    def _list_runs(self) -> None:
        runs = self.store.runs.runs
        kept = {run.run_id for run in runs}
        if kept != set(self.rows):
            for gone in set(self.rows) - kept:
                row = self.rows.pop(gone)
                row.hide()
                self._list.removeWidget(row)
                row.deleteLater()
            for run in runs:
                if run.run_id not in self.rows:
                    self.rows[run.run_id] = RunRow(self.store, self.look, run)
                    self._list.insertWidget(0, self.rows[run.run_id])
            self._order_tabs()
        for row in self.rows.values():
            row.refresh()

    def _order_tabs(self) -> None:
        before: QWidget = self.prove
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
            self.gap.setText(f"{gap_words(proof)}, against run {reference.run_id}")
            for label in (self.verdict, self.gap):
                explain(label, proof_sentence(shown, reference))
        elif pending:
            self.gap.setText(f"Run {reference.run_id} is the reference, {state_words(reference)}")
            explain(self.gap, "The comparison follows when it has ended.")

    @Slot()
    def _on_prove(self) -> None:
        self.store.prove()
