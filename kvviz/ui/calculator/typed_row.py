"""A named value that is typed: a size, a number, a word of a config."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.field_row import LABEL_UNITS, ROW_UNITS
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.value_edit import ValueEdit


class TypedRow(QWidget):
    """Label and value; ``typed(text)`` after Enter or on leaving, ``show_text`` is silent."""

    typed = Signal(str)

    def __init__(
        self,
        look: ThemeManager,
        label: str,
        tooltip: str,
        *,
        empty: str = "",
        wide: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look, self._tooltip, self._wide = look, tooltip, wide
        self.label = Label(look, label, tone="secondary")
        self.edit = ValueEdit(look)
        self.edit.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.edit.setPlaceholderText(empty)
        self.edit.setAccessibleName(label)
        self.label.setBuddy(self.edit)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._row.addWidget(self.label)
        self._row.addWidget(self.edit, 1)
        self.edit.typed.connect(self._on_typed)
        explain(self, tooltip)
        look.changed.connect(self._restyle)
        self._restyle()

    @property
    def text(self) -> str:
        """What is shown."""
        return self.edit.text()

    def show_text(self, text: str) -> None:
        """Show ``text`` unless a person is typing."""
        if not self.edit.is_typing and text != self.edit.text():
            self.edit.show_text(text)

    def set_reason(self, reason: str | None) -> None:
        """Switch off with ``reason``, or on with None."""
        explain(self, self._tooltip, reason)

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        self.typed.emit(text.strip())

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        if self._wide:
            width = self.label.fontMetrics().horizontalAdvance(self.label.text()) + px(8)
            self.label.setFixedWidth(min(width, px(196)))
        else:
            self.label.setFixedWidth(px(LABEL_UNITS))
        self.setMinimumHeight(px(ROW_UNITS))
