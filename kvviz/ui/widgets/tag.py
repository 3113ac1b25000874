"""Where a number comes from, said in one small word beside it."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from kvviz.ui.fonts import MEDIUM
from kvviz.ui.theme import ThemeManager

MEANING = {
    "measured": "Measured: read from the real run on this machine, off its tensors or its clock.",
    "formula": "Formula: worked out from the settings with integers; nothing was run for it.",
    "simulated": "Simulated: played by a model of a machine, not run on this one.",
}


class Tag(QLabel):
    """A bordered word; ``measured``, ``formula`` and ``simulated`` explain themselves."""

    def __init__(
        self,
        manager: ThemeManager,
        word: str,
        tooltip: str | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(word, parent)
        self._manager = manager
        tooltip = MEANING.get(word, "") if tooltip is None else tooltip
        self.setProperty("role", "tag")
        self.setToolTip(f"<qt>{tooltip}</qt>" if tooltip else "")
        self.setAccessibleName(word)
        self.setAccessibleDescription(tooltip)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        manager.changed.connect(self._restyle)
        self._restyle()

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._manager.font(11, MEDIUM))
