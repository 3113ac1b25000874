"""A named number with a slider to feel it and a place to type it."""

import html
from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QToolTip, QWidget

from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.field_row import LABEL_UNITS, ROW_UNITS
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.slider import Slider
from kvviz.ui.widgets.stops import Number, Stops, plain
from kvviz.ui.widgets.value_edit import ValueEdit


class SliderRow(QWidget):
    """Label, slider, editable value.

    ``moved(value)`` while it is dragged, ``settled(value)`` when it rests: released, a key, the
    wheel standing still, or a typed number. ``set_value`` tells no one, and shows values that
    cannot be dragged to as they are.  ``steps`` are the ascending values that the slider goes
    through, ``typed`` those that may be typed where these are coarser.
    """

    moved = Signal(object)
    settled = Signal(object)

    def __init__(
        self,
        manager: ThemeManager,
        label: str,
        unit: str,
        steps: Sequence[Number],
        value: Number,
        *,
        typed: Sequence[Number] | None = None,
        tooltip: str = "",
        text: Callable[[Number], str] = plain,
        show_unit: bool = False,
        value_units: int = 56,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._manager = manager
        self._unit, self._tooltip, self._show_unit = unit, tooltip, show_unit
        self._text, self._value_units = text, value_units
        self._reason: str | None = None
        self._limit: Number | None = None
        self._limit_reason = ""
        self._hint = ""
        self._stops = Stops(steps, text)
        self._typed = None if typed is None else Stops(typed, text)
        self._value = value
        self.label = Label(manager, label, tone="secondary")
        self.slider = Slider(manager, self._stops.last, self._stops.nearest(value))
        self.edit = ValueEdit(manager)
        self.label.setBuddy(self.slider)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.label)
        self._row.addWidget(self.slider, 1)
        self._row.addWidget(self.edit)
        self.slider.moved.connect(self._on_moved)
        self.slider.settled.connect(self._on_settled)
        self.slider.stopped.connect(self._on_stopped)
        self.slider.typing.connect(self.edit.begin)
        self.edit.typed.connect(self._on_typed)
        self.edit.left.connect(self.slider.setFocus)
        manager.changed.connect(self._restyle)
        self._restyle()
        self._show()

    @property
    def value(self) -> Number:
        """The value shown."""
        return self._value

    @property
    def _allowed(self) -> Stops:
        return self._typed or self._stops

    @property
    def hint(self) -> str:
        """Why the last wish was not followed; empty when it was."""
        return self._hint

    def set_value(self, value: Number) -> None:
        """Show ``value`` without an echo."""
        if value != self._value:
            self._hint = ""
        self._value = value
        if not self.slider.isSliderDown():
            self.slider.set_position(self._stops.nearest(value))
        self._show()

    def set_steps(self, steps: Sequence[Number]) -> None:
        """Allow these ascending values (a ``range`` too) from now on; the value stays."""
        if self._stops.values != steps:
            self._stops = Stops(steps, self._text)
            self.slider.set_last(self._stops.last)
            self.slider.set_position(self._stops.nearest(self._value))
            self.set_limit(self._limit, self._limit_reason)

    def set_limit(self, limit: Number | None, reason: str = "") -> None:
        """Stop at ``limit`` and say ``reason`` there; None frees the way."""
        self._limit, self._limit_reason = limit, reason if limit is not None else ""
        free = limit is None or limit >= self._stops.values[-1]
        self.slider.set_limit(None if limit is None or free else self._stops.at_most(limit))
        self._show()

    def set_reason(self, reason: str | None) -> None:
        """Switch the row off with the reason in its tooltip, or on with None."""
        self._reason = reason
        self._show()

    @Slot(int)
    def _on_moved(self, position: int) -> None:
        if position != self.slider.limit:
            self._hint = ""
        self._value = self._stops.values[position]
        self._show()
        self.moved.emit(self._value)

    @Slot(int)
    def _on_settled(self, position: int) -> None:
        self.settled.emit(self._stops.values[position])

    @Slot()
    def _on_stopped(self) -> None:
        self._hint = self._limit_reason
        self._show()
        self._say_hint()

    @Slot(str)
    def _on_typed(self, typed: str) -> None:
        allowed = self._allowed
        wish = allowed.read(typed.strip().removesuffix(self._unit))
        self._hint = ""
        if wish is None:
            self._hint = f"“{typed.strip()}” is not a number; type one of {allowed.describe()}."
            self._show()
            self._say_hint()
            return
        if wish == self._value:  # what is there may stay, even where it could not be dragged to
            self._show()
            return
        value = allowed.values[allowed.nearest(wish)]
        if self._limit is not None and self.slider.limit is not None and value > self._limit:
            value = allowed.values[allowed.at_most(self._limit)]
            self._hint = self._limit_reason
        elif self._text(value) != self._text(wish):
            said = f"{self.label.text()} can be {allowed.describe()}"
            self._hint = f"{said}; {self._text(wish)} became {self._text(value)}."
        changed = value != self._value
        self._value = value
        self.slider.set_position(self._stops.nearest(value))
        self._show()
        self._say_hint()
        if changed:
            self.moved.emit(value)
            self.settled.emit(value)

    def _show(self) -> None:
        shown = self._text(self._value)
        if self._show_unit and self._unit:
            shown = f"{shown} {self._unit}"
        if not self.edit.is_typing:
            self.edit.show_text(shown)
        over = self._limit is not None and self._value > self._limit
        self.edit.mark_bad(bool(self._hint) or over)
        spoken = f"{self.label.text()}, {self._unit}" if self._unit else self.label.text()
        self.slider.setAccessibleName(spoken)
        self.edit.setAccessibleName(spoken)
        self._explain()

    def _say_hint(self) -> None:
        """Say at once why a wish was not followed: nobody waits over a slider for a tooltip."""
        if self._hint and self.isVisible():
            below = self.edit.mapToGlobal(self.edit.rect().bottomLeft())
            QToolTip.showText(below, f"<qt>{html.escape(self._hint, quote=False)}</qt>", self)

    def _explain(self) -> None:
        unit = f", in {self._unit}" if self._unit else ""
        limits = f"{self._allowed.describe()}{unit}."
        at_limit = self._limit_reason if self.slider.limit is not None else ""
        said = " ".join(part for part in (self._hint or at_limit, self._tooltip, limits) if part)
        explain(self, said, self._reason)
        self.slider.setAccessibleDescription(self.accessibleDescription())

    @Slot()
    def _restyle(self) -> None:
        px = self._manager.px
        self.label.setFixedWidth(px(LABEL_UNITS))
        self.edit.setFixedWidth(px(self._value_units))
        self.setMinimumHeight(px(ROW_UNITS))
        self._row.setSpacing(0)
