"""The formula with the numbers put in, a line for each kind of layer."""

import html
import re

from PySide6.QtCore import Qt

from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.part import Part
from kvviz.ui.theme import ThemeManager
from kvviz.ui.views.axis import TIMES
from kvviz.ui.widgets.prose import Prose

UNIT = re.compile(r"(?<=\d) (?=[KMG]?i?B\b)")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


class FormulaPart(Part):
    """Each line as the sizing writes it; numbers are stressed, and it can be selected."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__(desk, look, "Formula", gap=6)
        self.lines = Prose(look, size=13, tone="secondary")
        self.lines.setTextFormat(Qt.TextFormat.RichText)
        self.lines.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.lines.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.lines.setToolTip("<qt>One GPU's share, line by line; the last line is all of it.</qt>")
        self.add(self.lines)
        self.begin()

    def refresh(self) -> None:
        """Write the formula anew."""
        tone = self.look.theme.text
        written = [stressed(line, tone) for line in self.desk.calculator.answer.formula]
        gap = self.look.px(4)
        self.lines.setText(
            "".join(f"<p style='margin:0 0 {gap}px 0; line-height:140%'>{w}</p>" for w in written)
        )
        self.lines.setAccessibleName(". ".join(self.desk.calculator.answer.formula))


def stressed(line: str, tone: str) -> str:
    """Return a line as rich text, its numbers stressed and x as a times sign."""
    safe = html.escape(UNIT.sub("\N{NO-BREAK SPACE}", line.replace(" x ", f" {TIMES} ")))
    return NUMBER.sub(
        lambda found: f"<span style='font-weight:600; color:{tone}'>{found[0]}</span>", safe
    )
