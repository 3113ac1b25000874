"""Controls tied to settings: a move is an intent, a change of the store is shown in silence."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from PySide6.QtCore import SignalInstance

from kvviz.session.limits import Stop
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.slider_row import SliderRow
from kvviz.ui.widgets.stops import Number, plain

KEYS = "Keys: arrows move it, a digit starts typing."


class Choice(Protocol):
    """A segmented control or a dropdown."""

    @property
    def chosen(self) -> SignalInstance:
        """Follows when a person picks another option."""


def setting_slider(
    store: Store,
    look: ThemeManager,
    control: str,
    label: str,
    unit: str,
    steps: Sequence[Number],
    words: str,
    *,
    typed: Sequence[Number] | None = None,
    text: Callable[[Number], str] = plain,
) -> SliderRow:
    """Return a slider over ``steps`` that sets ``control``; ``words`` say what that does.

    Of ``typed`` any value can be typed too, of ``steps`` where there is none.
    """
    value: Number = getattr(store.controls.settings, control)
    tooltip = f"{words} {KEYS}"
    row = SliderRow(look, label, unit, steps, value, typed=typed, text=text, tooltip=tooltip)
    bind_slider(row, store, control)
    return row


def bind_slider(row: SliderRow, store: Store, control: str) -> None:
    """Let ``row`` set ``control``: on the way at once, at rest for good."""
    row.moved.connect(partial(store.change, control, settled=False))
    row.settled.connect(partial(store.change, control))


def bind_choice(choice: Choice, store: Store, control: str) -> None:
    """Let ``choice`` set ``control``."""
    choice.chosen.connect(partial(store.change, control))


def show_setting(row: SliderRow, store: Store, control: str) -> None:
    """Show what ``control`` says, and where memory stops it."""
    value: Number = getattr(store.controls.settings, control)
    row.set_value(value)
    show_stop(row, store.controls.stops.get(control))


def show_stop(row: SliderRow, stop: Stop | None) -> None:
    """Stop ``row`` where ``stop`` says, if it is not the end of the row's own range."""
    if stop is None or not stop.reason:
        row.set_limit(None)
        return
    reason = stop.reason.rstrip(".")
    row.set_limit(stop.highest, f"{reason[:1].upper()}{reason[1:]}.")
