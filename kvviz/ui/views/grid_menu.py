"""What else the grid can do, in a menu that holds all of it however narrow the row above is."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from kvviz.session.head_words import LOOKS_AT, NAMES, no_head_reason, strongest_words
from kvviz.session.selection import Aggregate, ColorMap, GridMode, Scale
from kvviz.trace.head_kinds import HeadKind
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.views.grid_view import GridView

Value = TypeVar("Value")

PHASE_ONLY = "Only the phase view has two hues that brightness can vary: choose Phase first."
WEIGHTS_ONLY = "Only the weights view has a colour map: choose Weights first."
MAPS = (
    (ColorMap.VIRIDIS, "Viridis colours", "Dark blue to yellow, evenly perceived."),
    (ColorMap.CIVIDIS, "Cividis colours", "Reads alike without telling red from green."),
)
TOGETHER = (
    (Aggregate.MEAN, "Mean over heads", "The mean weight of the layer's heads."),
    (Aggregate.MAX, "Maximum over heads", "The largest weight any head gives."),
)
FLAT = "Switch brightness by weight on first: there is nothing to scale."


class GridMenu(QMenu):
    """Brightness, scale, sink, colours, heads put together or of a kind, fit and one to one."""

    def __init__(self, store: Store, grid: GridView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.setToolTipsVisible(True)
        self.brightness = self._switch(
            "Brightness by weight",
            "Off shows the phases alone: which step computed which cell.",
            self._on_brightness,
        )
        self.log = self._switch(
            "Logarithmic scale",
            "Faint weights become visible: the darkest cell is 1/10,000 of its row's strongest.",
            self._on_log,
        )
        self.hide_sink = self._switch(
            "Hide the first token's sink",
            "Many heads rest on the first token; without it, the others' weights fill the scale.",
            self._on_hide_sink,
        )
        self.addSeparator()
        self.maps = self._choices(MAPS, self._on_map)
        self.addSeparator()
        self.together = self._choices(TOGETHER, self._on_together)
        self.addSeparator()
        self.jumps = {kind: self._jump(kind) for kind in HeadKind}
        self.addSeparator()
        self._command("Fit the grid", "Show the whole square.", "F", grid.fit)
        self._command("One to one", "Cells large enough for their labels.", "1", grid.one_to_one)
        store.changed.connect(self._on_changed)
        self.follow()

    def follow(self) -> None:
        """Tick what is chosen, and switch off what has no meaning in the present view."""
        selection = self._store.selection
        phase = selection.mode is GridMode.PHASE
        flat = phase and not selection.brightness
        self.brightness.setChecked(selection.brightness)
        self.log.setChecked(selection.scale is Scale.LOG)
        self.hide_sink.setChecked(selection.hide_sink)
        for color_map, action in self.maps.items():
            action.setChecked(selection.color_map is color_map)
            self._allow(action, "" if not phase else WEIGHTS_ONLY)
        for aggregate, action in self.together.items():
            action.setChecked(selection.head is aggregate)
        self._allow(self.brightness, "" if phase else PHASE_ONLY)
        for action in (self.log, self.hide_sink):
            self._allow(action, FLAT if flat else "")
        scores = self._store.heads
        for kind, action in self.jumps.items():
            self._allow(action, no_head_reason(scores, kind))
            found = strongest_words(scores, kind) if scores else ""
            action.setText(f"{NAMES[kind]}: {found}" if found else NAMES[kind])

    def _switch(self, text: str, tooltip: str, act: Callable[[bool], None]) -> QAction:
        action = self._action(text, tooltip)
        action.setCheckable(True)
        action.triggered.connect(act)
        return action

    def _choices(
        self, options: Sequence[tuple[Value, str, str]], act: Callable[[QAction], None]
    ) -> dict[Value, QAction]:
        group = QActionGroup(self)
        group.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
        actions = {}
        for value, text, tooltip in options:
            action = self._action(text, tooltip)
            action.setCheckable(True)
            group.addAction(action)
            actions[value] = action
        group.triggered.connect(act)
        return actions

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & (Change.RUNS | Change.SELECTION):
            self.follow()

    @Slot(bool)
    def _on_brightness(self, on: bool) -> None:
        self._store.select(brightness=on)

    @Slot(bool)
    def _on_log(self, on: bool) -> None:
        self._store.select(scale=Scale.LOG if on else Scale.LINEAR)

    @Slot(bool)
    def _on_hide_sink(self, on: bool) -> None:
        self._store.select(hide_sink=on)

    @Slot(QAction)
    def _on_map(self, chosen: QAction) -> None:
        self._store.select(color_map=_value_of(self.maps, chosen))

    @Slot(QAction)
    def _on_together(self, chosen: QAction) -> None:
        self._store.select(head=_value_of(self.together, chosen))

    def _jump(self, kind: HeadKind) -> QAction:
        action = self._action(NAMES[kind], f"Show the head that gives most {LOOKS_AT[kind]}.")
        action.triggered.connect(partial(self._go_to, kind))
        return action

    def _go_to(self, kind: HeadKind, _checked: bool = False) -> None:
        scores = self._store.heads
        if scores is not None and (found := scores.strongest(kind)) is not None:
            self._store.select(layer=found[0], head=found[1])

    def _command(self, text: str, tooltip: str, key: str, act: Callable[[], None]) -> None:
        action = self._action(f"{text}\t{key}", tooltip)
        action.triggered.connect(act)

    def _action(self, text: str, tooltip: str) -> QAction:
        action = self.addAction(text)
        action.setToolTip(tooltip)
        action.setProperty("says", tooltip)
        return action

    def _allow(self, action: QAction, reason: str) -> None:
        action.setEnabled(not reason)
        action.setToolTip(reason or str(action.property("says")))


def _value_of(actions: dict[Value, QAction], chosen: QAction) -> Value:
    # An action's own data would come back as a plain text, not as the value it was.
    return next(value for value, action in actions.items() if action is chosen)
