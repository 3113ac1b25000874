"""A comparison in the list of runs: one row for all its runs."""

from PySide6.QtGui import QFontMetrics

from kvviz.session.comparison_text import set_names
from kvviz.session.runs import Run, RunState
from kvviz.ui.panels.run_row import RunRow
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.explain import explain

KEYS = "Keys: Enter shows the table, Delete removes it with its runs."


class SetRow(RunRow):
    """How many layouts, and which; pressed, their table is shown."""

    def __init__(self, store: Store, look: ThemeManager, runs: tuple[Run, ...]) -> None:
        self._runs = runs
        super().__init__(store, look, runs[0])
        self.close_button.set_tooltip(
            "Remove this comparison and its runs; they cannot be had back. Key: Delete"
        )

    def refresh(self) -> None:
        """Read the runs."""
        runs = self._store.runs
        self._shown = runs.compared_id == self.run_id or runs.shown in self._runs
        self._state, self._figures = _state(self._runs), (", ".join(set_names(self._runs)),)
        said = [self._title, self.detail]
        self.setAccessibleName(f"Comparison: {', '.join(said)}")
        explain(self, f"{'. '.join(said)}. {KEYS}")
        self._show_buttons()
        self.update()

    @property
    def _title(self) -> str:
        return f"{len(self._runs)} layouts compared"

    def _split_traits(self, metrics: QFontMetrics, width: int) -> tuple[str, tuple[str, ...]]:
        return self._title, ()

    def _show_buttons(self) -> None:
        super()._show_buttons()
        self.pin.hide()

    def _bring_up(self) -> None:
        self._store.show_comparison(self.run_id)

    def _toggle_pin(self) -> None:
        """Pinning is for one run: its row in the table is shown, and that run is pinned."""


def _state(runs: tuple[Run, ...]) -> str:
    place = next((n for n, run in enumerate(runs, 1) if run.live), None)
    if place is not None:
        return f"running {place} of {len(runs)}"
    ended = sum(run.state is RunState.FINISHED for run in runs)
    return "" if ended == len(runs) else f"{ended} of {len(runs)} ended"
