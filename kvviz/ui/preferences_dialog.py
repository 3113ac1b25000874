"""What can be preferred, applied while it is chosen."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from kvviz.session.selection import ColorMap
from kvviz.ui.changes import Change
from kvviz.ui.preferences import Preferences
from kvviz.ui.store import Store
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ZOOM_STEPS, ThemeChoice, ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.field_row import FieldRow
from kvviz.ui.widgets.hairline import Hairline
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.section_header import SectionHeader
from kvviz.ui.widgets.segmented import Segmented
from kvviz.ui.widgets.slider_row import SliderRow
from kvviz.ui.widgets.stops import Number

WIDTH = 420
THEMES = (
    (ThemeChoice.SYSTEM, "System", "Follow the desktop."),
    (ThemeChoice.LIGHT, "Light", "Dark text on a light ground."),
    (ThemeChoice.DARK, "Dark", "Light text on a dark ground."),
)
COLOR_MAPS = (
    (ColorMap.VIRIDIS, "viridis", "From violet over green to yellow."),
    (ColorMap.CIVIDIS, "cividis", "From blue to yellow: reads alike without red or green."),
)
MOTIONS = (
    (False, "Steps", "A lesson's cursor goes step by step to where it is wanted."),
    (True, "Reduced", "It is there at once; nothing moves."),
)
PERCENT = tuple(100 * step for step in ZOOM_STEPS)


class PreferencesDialog(QDialog):
    """Theme, zoom, colour map and motion; nothing to confirm, and the window stays in use."""

    def __init__(
        self, store: Store, look: ThemeManager, values: Preferences, parent: QWidget | None = None
    ) -> None:
        for earlier in parent.findChildren(PreferencesDialog) if parent is not None else ():
            earlier.close()  # one at a time: asking again brings it to the front
        super().__init__(parent)
        self._store, self._look, self._values = store, look, values
        self.setWindowTitle("Preferences - kvviz")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        set_ground(self, "bg1")
        self._build()
        self._lay_out()
        self._connect()
        self._restyle()

    def _build(self) -> None:
        look = self._look
        self.theme = Segmented(look, THEMES, look.choice, name="Theme")
        self.zoom = SliderRow(
            look,
            "Zoom",
            "",
            PERCENT,
            100 * look.zoom,
            tooltip="Enlarges the whole interface, for a projector. Keys: Ctrl+= and Ctrl+-.",
            text=percent_text,
        )
        self.motion = Segmented(look, MOTIONS, self._values.reduce_motion, name="Motion of lessons")
        chosen = self._store.selection.color_map
        self.color_map = Segmented(look, COLOR_MAPS, chosen, name="Colour map of weights")
        self.defaults = Button(look, "Restore defaults", "Theme, zoom and colours as they came.")
        self.close_button = Button(look, "Close", "", shortcut="Esc", kind="strong")

    def _lay_out(self) -> None:
        look = self._look
        said = "Applied at once, and kept for the next start."
        self._note = Label(look, said, size=11, tone="muted")
        self._buttons = QHBoxLayout()
        self._buttons.addWidget(self.defaults)
        self._buttons.addStretch(1)
        self._buttons.addWidget(self.close_button)
        self._column = QVBoxLayout(self)
        for part in (
            SectionHeader(look, "Interface"),
            FieldRow(look, "Theme", self.theme),
            self.zoom,
            FieldRow(look, "Motion", self.motion),
            SectionHeader(look, "Grid"),
            FieldRow(look, "Colour map", self.color_map),
            self._note,
            Hairline(),
        ):
            self._column.addWidget(part)
        self._column.addLayout(self._buttons)

    def _connect(self) -> None:
        self.theme.chosen.connect(self._look.choose)
        self.zoom.settled.connect(self._on_zoom)
        self.color_map.chosen.connect(self._on_color_map)
        self.motion.chosen.connect(self._on_motion)
        self.defaults.clicked.connect(self._on_defaults)
        self.close_button.clicked.connect(self.close)
        self._look.changed.connect(self._restyle)
        self._store.changed.connect(self._on_changed)

    @Slot(object)
    def _on_zoom(self, percent: Number) -> None:
        self._look.set_zoom(percent / 100)

    @Slot(object)
    def _on_color_map(self, color_map: ColorMap) -> None:
        self._values.colour_map = color_map.value
        self._store.select(color_map=color_map)

    @Slot(object)
    def _on_motion(self, reduced: bool) -> None:
        self._values.reduce_motion = reduced

    @Slot()
    def _on_defaults(self) -> None:
        usual = Preferences()
        self._on_motion(usual.reduce_motion)
        self.motion.set_value(usual.reduce_motion)
        self._on_color_map(ColorMap(usual.colour_map))
        self._look.choose(usual.theme)
        self._look.set_zoom(usual.zoom)

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if changes & Change.SELECTION:
            self.color_map.set_value(self._store.selection.color_map)

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self.theme.set_value(self._look.choice)
        self.zoom.set_value(100 * self._look.zoom)
        self._column.setContentsMargins(px(24), px(20), px(24), px(16))
        self._column.setSpacing(px(10))
        self._buttons.setSpacing(px(8))
        self.setFixedWidth(px(WIDTH))
        self.adjustSize()


def percent_text(percent: Number) -> str:
    """Write a zoom as people do: 113 %."""
    return f"{percent:.0f} %"
