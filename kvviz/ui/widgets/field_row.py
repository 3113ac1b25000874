"""A named control: the name in one column, the control in the next, the same in every panel."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.label import Label

LABEL_UNITS = 92
ROW_UNITS = 26


class FieldRow(QWidget):
    """A label of fixed width before ``control``; the control is named by it for screen readers."""

    def __init__(
        self,
        manager: ThemeManager,
        label: str,
        control: QWidget,
        *,
        stretch: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._manager = manager
        self.label = Label(manager, label, tone="secondary")
        self.control = control
        self.label.setBuddy(control)
        if not control.accessibleName():
            control.setAccessibleName(label)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.label)
        self._row.addWidget(control, 1 if stretch else 0)
        if not stretch:
            self._row.addStretch(1)
        manager.changed.connect(self._restyle)
        self._restyle()

    @Slot()
    def _restyle(self) -> None:
        self.label.setFixedWidth(self._manager.px(LABEL_UNITS))
        self.setMinimumHeight(self._manager.px(ROW_UNITS))
        self._row.setSpacing(0)
