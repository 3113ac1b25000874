"""Comparisons in the playground: the question, and the charts beside the table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from kvviz.session.layout_choice import PRESETS, base_config
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout

if TYPE_CHECKING:
    from kvviz.ui.comparison.charts import ComparisonCharts
    from kvviz.ui.playground import Playground


class ComparisonDesk(QObject):
    """Asks which layouts, and offers those chosen last when it asks again."""

    def __init__(self, playground: "Playground") -> None:
        super().__init__(playground)
        self._playground = playground
        self._last: tuple[CacheLayout, ...] = ()
        self._charts: ComparisonCharts | None = None
        playground.controls.compare.layouts_wanted.connect(self.ask)
        playground.centre.layouts_wanted.connect(self.ask)

    @property
    def charts(self) -> "ComparisonCharts | None":
        """The charts of the comparison on screen; None while there is none."""
        playground = self._playground
        if not playground.store.runs.compared:
            return None
        if self._charts is None:
            from kvviz.ui.comparison.charts import ComparisonCharts

            self._charts = ComparisonCharts(playground.store, playground.look)
            playground.right.addWidget(self._charts)
        return self._charts

    @Slot()
    def ask(self) -> None:
        """Ask which layouts are to be compared, and compare them."""
        from kvviz.ui.comparison.sheet import ComparisonSheet

        store, look = self._playground.store, self._playground.look
        try:
            base = base_config(store.controls)
        except InputError as error:
            store.tell(str(error))
            return
        layouts = self._last or PRESETS[0].layouts(base.layout)
        sheet = ComparisonSheet(look, base, layouts, store.controls.free, self._playground.window())
        sheet.chosen.connect(self._on_chosen)
        sheet.open()

    @Slot(object)
    def _on_chosen(self, layouts: Sequence[CacheLayout]) -> None:
        self._last = tuple(layouts)
        self._playground.store.compare(layouts)
