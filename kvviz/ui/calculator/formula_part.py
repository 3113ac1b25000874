"""The formula with the numbers put in, a line for each kind of layer."""

from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.formula_lines import FormulaLines
from kvviz.ui.calculator.part import Part
from kvviz.ui.theme import ThemeManager


class FormulaPart(Part):
    """Each line as the sizing writes it."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__(desk, look, "Formula", gap=6)
        self.lines = FormulaLines(look)
        self.lines.setToolTip("<qt>One GPU's share, line by line; the last line is all of it.</qt>")
        self.add(self.lines)
        self.begin()

    def refresh(self) -> None:
        """Write the formula anew."""
        self.lines.show_lines(self.desk.calculator.answer.formula)
