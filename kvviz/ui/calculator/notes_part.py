"""What was assumed, and what a reader should know."""

from PySide6.QtWidgets import QWidget

from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.part import Part
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.prose import Prose


class NotesPart(Part):
    """Warnings first, then every choice that was not the person's own."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager, parent: QWidget) -> None:
        super().__init__(desk, look, "Assumed, and worth knowing", gap=6, parent=parent)
        self.warnings = Prose(look, size=13, tone="text")
        self.assumed = Prose(look, size=13, tone="secondary")
        self.add(self.warnings, self.assumed)
        self.begin()

    def refresh(self) -> None:
        """List them anew; nothing to say shows nothing."""
        reply = self.desk.calculator.reply
        warnings = [*reply.answer.warnings, *([reply.memory_problem] * bool(reply.memory_problem))]
        own = self.desk.sheet.model.config.assumptions
        assumed = [said for said in reply.answer.assumptions if said not in own]
        for label, lines in ((self.warnings, warnings), (self.assumed, assumed)):
            label.setText("\n".join(map(sentence, lines)))
            label.setVisible(bool(lines))
        self.setVisible(bool(warnings or assumed))


def sentence(line: str) -> str:
    """Return a line that begins with a capital, unless with a name: vLLM, llama.cpp, head_dim."""
    first = line.split(" ", 1)[0].rstrip(":,")
    return line[:1].upper() + line[1:] if first.isalpha() and first.islower() else line
