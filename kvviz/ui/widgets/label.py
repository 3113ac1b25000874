"""A line of text that follows the theme and the zoom."""

import html

from PySide6.QtCore import Slot
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QLabel, QWidget

from kvviz.ui.fonts import REGULAR, SizeName
from kvviz.ui.theme import ThemeManager


class Label(QLabel):
    """Text of one size, weight and tone; a tone is any colour token of the theme."""

    def __init__(
        self,
        manager: ThemeManager,
        text: str = "",
        *,
        size: SizeName = 13,
        weight: QFont.Weight = REGULAR,
        tone: str = "text",
        spacing: float = 100.0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._manager = manager
        self._size: SizeName = size
        self._weight = weight
        self._tone = tone
        self._spacing = spacing  # of letters, in percent
        self._parts: tuple[str, ...] = ()
        manager.changed.connect(self._restyle)
        self._restyle()

    @property
    def tone(self) -> str:
        """The colour token in use."""
        return self._tone

    @property
    def parts(self) -> tuple[str, ...]:
        """What was last shown by ``set_parts``."""
        return self._parts

    def set_tone(self, tone: str) -> None:
        """Take another colour token."""
        if tone != self._tone:
            self._tone = tone
            self._restyle()

    def set_parts(self, *parts: str) -> None:
        """Show ``parts``, every second one stressed: plain, stressed, plain and so on."""
        if parts != self._parts:
            self._parts = parts
            self._restyle()

    @Slot()
    def _restyle(self) -> None:
        font = self._manager.font(self._size, self._weight)
        font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, self._spacing)
        self.setFont(font)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, self._manager.color(self._tone))
        self.setPalette(palette)
        if self._parts:
            self.setText("".join(map(self._marked, range(len(self._parts)), self._parts)))

    def _marked(self, index: int, part: str) -> str:
        escaped = f"<span style='white-space:pre'>{html.escape(part)}</span>"
        if index % 2 == 0:
            return escaped
        return f"<span style='font-weight:600; color:{self._manager.theme.text}'>{escaped}</span>"
