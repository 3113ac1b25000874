"""One of a few: the options lie side by side and the chosen one is lit."""

from collections.abc import Mapping, Sequence
from typing import Literal

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button

Option = tuple[object, str, str]  # value, text, tooltip


class _Segment(Button):
    """One option; arrows are left to the whole."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pass arrows on, keep Space."""
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down):
            event.ignore()
        else:
            super().keyPressEvent(event)


class Segmented(QFrame):
    """Exclusive choice; ``chosen(value)`` when a person picks another, ``set_value`` is silent.

    One stop for Tab; Left and Right go to the next option that is on.
    """

    chosen = Signal(object)

    def __init__(
        self,
        manager: ThemeManager,
        options: Sequence[Option],
        value: object = None,
        *,
        name: str = "",
        kind: Literal["box", "bare"] = "box",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._manager = manager
        self._buttons: dict[object, _Segment] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        for option_value, text, tooltip in options:
            button = _Segment(manager, text, tooltip)
            button.setProperty("role", "segment")
            button.setCheckable(True)
            button.clicked.connect(self._on_clicked)
            self._buttons[option_value] = button
            self._row.addWidget(button)
        self._value = value if value in self._buttons else next(iter(self._buttons))
        self.setProperty("role", "segmented" if kind == "box" else "bare")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)
        manager.changed.connect(self._restyle)
        self._restyle()
        self._show()

    @property
    def value(self) -> object:
        """The chosen option's value."""
        return self._value

    def button(self, value: object) -> Button:
        """Return the button of ``value``, to press it in a lesson or a test."""
        return self._buttons[value]

    def set_value(self, value: object) -> None:
        """Light ``value`` without an echo."""
        if value not in self._buttons:
            raise KeyError(value)
        self._value = value
        self._show()

    def set_enabled_options(self, reasons: Mapping[object, str | None]) -> None:
        """Switch options off by value, each with its reason; those not named are on."""
        for value, button in self._buttons.items():
            button.set_reason(reasons.get(value))
        self._show()

    def set_reason(self, reason: str | None) -> None:
        """Switch the whole off with ``reason``, or on with None."""
        self.set_enabled_options(dict.fromkeys(self._buttons, reason))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the next or the previous option."""
        step = {
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Up: -1,
        }.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        values = [v for v, b in self._buttons.items() if b.isEnabled() or v == self._value]
        index = values.index(self._value) + step
        if 0 <= index < len(values) and self._buttons[values[index]].isEnabled():
            self._choose(values[index])
            self._buttons[self._value].setFocus(Qt.FocusReason.TabFocusReason)

    @Slot()
    def _on_clicked(self) -> None:
        sender = self.sender()
        self._choose(next(value for value, button in self._buttons.items() if button is sender))

    def _choose(self, value: object) -> None:
        changed = value != self._value
        self._value = value
        self._show()
        if changed:
            self.chosen.emit(value)

    def _show(self) -> None:
        for value, button in self._buttons.items():
            lit = value == self._value
            button.setChecked(lit)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus if lit else Qt.FocusPolicy.NoFocus)

    @Slot()
    def _restyle(self) -> None:
        self._row.setSpacing(self._manager.px(2))
