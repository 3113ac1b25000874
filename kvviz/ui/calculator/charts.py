"""The two charts, one over the other."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvviz.ui.calculator.context_part import ContextPart
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.step_part import StepPart
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager


class Charts(QWidget):
    """Cache against context takes what the step's chart leaves."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__()
        self._look = look
        self.context, self.step = ContextPart(desk, look), StepPart(desk, look)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.context, 3)
        self._column.addWidget(self.step, 2)
        set_ground(self, "bg1")
        look.changed.connect(self._restyle)
        self._restyle()

    def use(self, on: bool) -> None:
        """Show both and keep them up to date, or neither."""
        self.setVisible(on)
        for part in (self.context, self.step):
            part.listen(on)

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._column.setContentsMargins(px(20), px(20), px(16), px(16))
        self._column.setSpacing(px(20))
