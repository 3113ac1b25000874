"""The chart of cache against context with its heading and the models pinned in it."""

from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy

from kvviz.session.calculator.curve import Curve
from kvviz.session.calculator.words import sequences_text
from kvviz.sizing.units import count_text
from kvviz.ui.calculator.context_chart import ContextChart
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.part import Part
from kvviz.ui.lessons.flow import Flow
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button


class Chip(Button):
    """A pinned model's name, small."""

    def showEvent(self, event: QShowEvent) -> None:
        """Take the small font again: to be put into another widget takes it back."""
        super().showEvent(event)
        self._shrink()

    def _restyle(self) -> None:
        super()._restyle()
        self._shrink()
        if isinstance(flow := self.parentWidget(), Flow):
            flow.arrange()

    def _shrink(self) -> None:
        self.setFont(self._manager.font(11))
        side = self._manager.px(12)
        self.setIconSize(QSize(side, side))


class ContextPart(Part):
    """Pins are words under the chart; a press takes one out."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__(desk, look, "Cache against context", ("formula",), gap=6)
        self.chart = ContextChart(desk, look)
        self.chips = Flow(look)
        self.buttons: dict[str, Chip] = {}
        self.add(self.chart, stretch=1)
        self.add(self.chips)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.begin()

    def refresh(self) -> None:
        """Draw the curves anew, and list the pins if they are others."""
        calculator = self.desk.calculator
        load, gpus = calculator.answer.load, calculator.answer.policy.tp
        whose = "" if gpus == 1 else ", each GPU"
        self.header.set_text(f"Cache against context, {sequences_text(load.sequences)}{whose}")
        self.chart.refresh()
        said = [f"{name} at {count_text(n, 'token')}" for name, n in self.chart.crossings.items()]
        crossed = f"; fills what is left: {', '.join(said)}" if said else ""
        self.chart.setAccessibleName(f"{self.header.text}{crossed}")
        names = [model.name for model in calculator.pins]
        if names != list(self.buttons):
            self._list(names)
        self._mark(calculator.curves())

    def _list(self, names: list[str]) -> None:
        self.buttons = {}
        for name in names:
            button = Chip(self.look, name, take_out(name), icon="close")
            button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
            button.clicked.connect(partial(self.desk.unpin, name))
            self.buttons[name] = button
        self.chips.set_widgets(list(self.buttons.values()))

    def _mark(self, curves: tuple[Curve, ...]) -> None:
        """Say at a pin why it has no line, where it cannot be asked the same."""
        for curve in curves:
            if (button := self.buttons.get(curve.name)) is not None:
                why = "no line" if curve.problem else curve.note
                text = f"{curve.name}: {why}" if why else curve.name
                if button.text() != text:
                    button.setText(text)
                    button.set_tooltip(f"{curve.problem} {take_out(curve.name)}".strip())
                    self.chips.arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the chart in step."""
        super().resizeEvent(event)
        self.chart.refresh_size()


def take_out(name: str) -> str:
    """Return what a press on a pin does."""
    return f"Take {name} out of the chart."
