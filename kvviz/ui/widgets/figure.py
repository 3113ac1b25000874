"""One number that matters: large digits, a quiet unit, and where it comes from."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from kvviz.ui.fonts import SEMIBOLD, SizeName
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.tag import Tag


class Figure(QWidget):
    """Caption (optional), number, unit (optional) and tag (optional) on one baseline."""

    def __init__(
        self,
        manager: ThemeManager,
        name: str,
        *,
        caption: str = "",
        unit: str = "",
        tag: str | None = None,
        size: SizeName = 20,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._manager = manager
        self._name = name
        self._caption = Label(manager, caption, tone="secondary")
        self._caption.setVisible(bool(caption))
        self._number = Label(manager, "—", size=size, weight=SEMIBOLD)
        self._unit = Label(manager, unit, tone="secondary")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        for widget in (self._caption, self._number, self._unit):
            self._row.addWidget(widget)
        self._tag = None if tag is None else Tag(manager, tag)
        if self._tag is not None:
            self._row.addWidget(self._tag)
        manager.changed.connect(self._restyle)
        self._restyle()
        self.set_value("—")

    @property
    def text(self) -> str:
        """The digits on screen."""
        return self._number.text()

    @property
    def unit(self) -> str:
        """The unit on screen."""
        return self._unit.text()

    def set_value(self, text: str, unit: str | None = None) -> None:
        """Show ``text``; ``unit`` stays as it was unless given."""
        self._number.setText(text)
        if unit is not None:
            self._unit.setText(unit)
        self.setAccessibleName(f"{self._name}: {text} {self._unit.text()}".strip())

    @Slot()
    def _restyle(self) -> None:
        self._row.setSpacing(self._manager.px(6))
        # Small text sits on the large digits' baseline, not in the middle of their height.
        drop = self._number.fontMetrics().descent() - self._unit.fontMetrics().descent()
        for label in (self._caption, self._unit):
            label.setContentsMargins(0, 0, 0, 0)
            label.setMargin(0)
            label.setIndent(0)
            self._row.setAlignment(label, Qt.AlignmentFlag.AlignBottom)
            label.setContentsMargins(0, 0, 0, max(0, drop))
