"""Comparisons in the window: the question, and the charts beside the table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from kvviz.session.layout_choice import PRESETS, base_config
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout

if TYPE_CHECKING:
    from kvviz.ui.comparison.charts import ComparisonCharts
    from kvviz.ui.window import MainWindow


class ComparisonDesk(QObject):
    """Asks which layouts, and offers those chosen last when it asks again."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._last: tuple[CacheLayout, ...] = ()
        self._charts: ComparisonCharts | None = None
        window.controls.compare.layouts_wanted.connect(self.ask)
        window.centre.layouts_wanted.connect(self.ask)

    @property
    def charts(self) -> "ComparisonCharts | None":
        """The charts of the comparison on screen; None while there is none."""
        window = self._window
        if not window.store.runs.compared:
            return None
        if self._charts is None:
            from kvviz.ui.comparison.charts import ComparisonCharts

            self._charts = ComparisonCharts(window.store, window.look)
            window.right.addWidget(self._charts)
        return self._charts

    @Slot()
    def ask(self) -> None:
        """Ask which layouts are to be compared, and compare them."""
        from kvviz.ui.comparison.sheet import ComparisonSheet

        store = self._window.store
        try:
            base = base_config(store.controls)
        except InputError as error:
            store.tell(str(error))
            return
        layouts = self._last or PRESETS[0].layouts(base.layout)
        sheet = ComparisonSheet(self._window.look, base, layouts, store.controls.free, self._window)
        sheet.chosen.connect(self._on_chosen)
        sheet.open()

    @Slot(object)
    def _on_chosen(self, layouts: Sequence[CacheLayout]) -> None:
        self._last = tuple(layouts)
        self._window.store.compare(layouts)
