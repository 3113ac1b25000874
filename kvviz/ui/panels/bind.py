"""Controls tied to settings: a move is an intent, a change of the store is shown in silence."""

from functools import partial
from typing import Protocol

from PySide6.QtCore import SignalInstance

from kvviz.session.limits import Stop
from kvviz.ui.store import Store
from kvviz.ui.widgets.slider_row import SliderRow
from kvviz.ui.widgets.stops import Number

KEYS = "Keys: arrows move it, a digit starts typing."


class Choice(Protocol):
    """A segmented control or a dropdown."""

    @property
    def chosen(self) -> SignalInstance:
        """Follows when a person picks another option."""


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
