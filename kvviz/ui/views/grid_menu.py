"""What else the grid can do, in a menu that holds all of it however narrow the row above is."""

from collections.abc import Callable

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from kvviz.session.selection import Aggregate, ColorMap, GridMode, Scale
from kvviz.ui.store import Store
from kvviz.ui.views.grid_view import GridView

PHASE_ONLY = "Only the phase view has two hues that brightness can vary: choose Phase first."
WEIGHTS_ONLY = "Only the weights view has a colour map: choose Weights first."
FLAT = "Switch brightness by weight on first: there is nothing to scale."


class GridMenu(QMenu):
    """Brightness, scale, sink, colours, heads put together, fit and one to one."""

    def __init__(self, store: Store, grid: GridView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.setToolTipsVisible(True)
        self.brightness = self._switch(
            "Brightness by weight",
            "Off shows the phases alone: which step computed which cell.",
            lambda on: store.select(brightness=on),
        )
        self.log = self._switch(
            "Logarithmic scale",
            "Faint weights become visible: the darkest cell is 1/10,000 of its row's strongest.",
            lambda on: store.select(scale=Scale.LOG if on else Scale.LINEAR),
        )
        self.hide_sink = self._switch(
            "Hide the first token's sink",
            "Many heads rest on the first token; without it, the others' weights fill the scale.",
            lambda on: store.select(hide_sink=on),
        )
        self.addSeparator()
        self.maps = self._choices(
            [
                (ColorMap.VIRIDIS, "Viridis colours", "Dark blue to yellow, evenly perceived."),
                (
                    ColorMap.CIVIDIS,
                    "Cividis colours",
                    "Reads alike without telling red from green.",
                ),
            ],
            lambda value: store.select(color_map=value),
        )
        self.addSeparator()
        self.together = self._choices(
            [
                (Aggregate.MEAN, "Mean over heads", "The mean weight of the layer's heads."),
                (Aggregate.MAX, "Maximum over heads", "The largest weight any head gives."),
            ],
            lambda value: store.select(head=value),
        )
        self.addSeparator()
        self._command("Fit the grid", "Show the whole square.", "F", grid.fit)
        self._command("One to one", "Cells large enough for their labels.", "1", grid.one_to_one)
        self.follow()

    def follow(self) -> None:
        """Tick what is chosen, and switch off what has no meaning in the present view."""
        selection = self._store.selection
        phase = selection.mode is GridMode.PHASE
        flat = phase and not selection.brightness
        self.brightness.setChecked(selection.brightness)
        self.log.setChecked(selection.scale is Scale.LOG)
        self.hide_sink.setChecked(selection.hide_sink)
        for value, action in self.maps.items():
            action.setChecked(selection.color_map is value)
            self._allow(action, "" if not phase else WEIGHTS_ONLY)
        for value, action in self.together.items():
            action.setChecked(selection.head is value)
        self._allow(self.brightness, "" if phase else PHASE_ONLY)
        for action in (self.log, self.hide_sink):
            self._allow(action, FLAT if flat else "")

    def _switch(self, text: str, tooltip: str, act: Callable[[bool], None]) -> QAction:
        action = self._action(text, tooltip)
        action.setCheckable(True)
        action.triggered.connect(act)
        return action

    def _choices(
        self, options: list[tuple[object, str, str]], act: Callable[[object], None]
    ) -> dict[object, QAction]:
        group = QActionGroup(self)
        group.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
        actions = {}
        for value, text, tooltip in options:
            action = self._action(text, tooltip)
            action.setCheckable(True)
            action.setData(value)
            group.addAction(action)
            actions[value] = action
        group.triggered.connect(lambda action: act(action.data()))
        return actions

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
