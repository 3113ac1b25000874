"""A choice in the strip above a chart's plot, smaller than elsewhere."""

from collections.abc import Sequence

from PySide6.QtCore import Slot

from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.chart import RIGHT, Chart
from kvviz.ui.widgets.segmented import Option, Segmented


class CornerToggle(Segmented):
    """Stands where the highest number is; ``place`` it again where the chart is of another width.

    ``name`` is said to whoever listens.
    """

    def __init__(
        self, look: ThemeManager, options: Sequence[Option], value: object, name: str, chart: Chart
    ) -> None:
        super().__init__(look, options, value, name=name, kind="bare", parent=chart)
        self._chart = chart
        look.changed.connect(self._dress)  # after the buttons, which dress themselves
        self._dress()

    def place(self) -> None:
        """Move to the right edge of the plot."""
        self.adjustSize()  # the window's sheet came after its own
        right = self._chart.width() - self._manager.px(RIGHT)
        self.move(right - self.width(), 0)

    @Slot()
    def _dress(self) -> None:
        px = self._manager.px
        self.setStyleSheet(f"QPushButton {{ min-height: 0; padding: 0 {px(5)}px; }}")
        for button in self._buttons.values():
            button.setFont(self._manager.font(11))
            button.setFixedHeight(px(17))
        self.place()
