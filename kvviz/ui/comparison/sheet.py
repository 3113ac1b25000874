"""The question which layouts to compare."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from kvviz.session.layout_choice import MOST_LAYOUTS, PRESETS, LayoutPreset, compared_configs
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout
from kvviz.sizing.units import bytes_text
from kvviz.trace.config import RunConfig
from kvviz.ui.comparison.layout_row import LayoutRow
from kvviz.ui.stylesheet import set_ground
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.prose import Prose
from kvviz.ui.widgets.section_header import SectionHeader
from kvviz.ui.widgets.tag import Tag

WIDTH = 640
SENTENCE = (
    "The same prompt, settings and seed with each of these, one after another, as fast as it goes. "
    "The first is the reference that the others are compared with."
)
ADD = "Add another layout, or the same one with other numbers."
FULL = f"{MOST_LAYOUTS} layouts are the most that one can see at once."
CANCEL = "Leave everything as it is."


class ComparisonSheet(QDialog):
    """``chosen(layouts)`` once a person has said which, all of them able to run."""

    chosen = Signal(object)

    def __init__(
        self,
        look: ThemeManager,
        base: RunConfig,
        layouts: Sequence[CacheLayout],
        free_bytes: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look, self._base, self._free_bytes = look, base, free_bytes
        self.rows: list[LayoutRow] = []
        self.setWindowTitle("Compare layouts - kvviz")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        set_ground(self, "bg1")
        self.sentence = Prose(look, SENTENCE, size=13, tone="secondary")
        self.presets = [Button(look, preset.name, preset.point) for preset in PRESETS]
        self.add_button = Button(look, "Add a layout", ADD, kind="quiet")
        self.cost = Label(look, size=11, tone="secondary")
        self.cancel_button = Button(look, "Cancel", CANCEL, shortcut="Esc")
        self.compare_button = Button(
            look, "Compare", "Run them all.", shortcut="Enter", kind="primary"
        )
        self.compare_button.setDefault(True)
        self._lay_out()
        for preset, button in zip(PRESETS, self.presets, strict=True):
            button.setAutoDefault(False)
            button.clicked.connect(partial(self._take, preset))
        for button in (self.add_button, self.cancel_button):
            button.setAutoDefault(False)
        self.add_button.clicked.connect(self._on_add)
        self.cancel_button.clicked.connect(self.reject)
        self.compare_button.clicked.connect(self._on_compare)
        look.changed.connect(self._restyle)
        self.show_layouts(layouts)
        self._restyle()

    @property
    def layouts(self) -> tuple[CacheLayout, ...]:
        """What stands in the rows, without those that are no layouts."""
        return tuple(row.layout_wanted for row in self.rows if row.layout_wanted is not None)

    def show_layouts(self, layouts: Sequence[CacheLayout]) -> None:
        """List these layouts instead of those that are there."""
        for row in self.rows:
            self._drop(row)
        self.rows = []
        for layout in layouts:
            self._append(layout)
        self._follow()

    def _lay_out(self) -> None:
        self._presets = QHBoxLayout()
        for button in self.presets:
            self._presets.addWidget(button)
        self._presets.addStretch(1)
        self._page = QWidget()
        self._list = QVBoxLayout(self._page)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._more = QHBoxLayout()
        self._more.addWidget(self.add_button)
        self._more.addStretch(1)
        self._list.addLayout(self._more)
        self._list.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setWidget(self._page)
        self._foot = QHBoxLayout()
        self._foot.addWidget(self.cost)
        self._foot.addWidget(Tag(self._look, "formula"))
        self._foot.addStretch(1)
        self._foot.addWidget(self.cancel_button)
        self._foot.addWidget(self.compare_button)
        self._column = QVBoxLayout(self)
        self._column.addWidget(SectionHeader(self._look, "Compare layouts"))
        self._column.addWidget(self.sentence)
        self._column.addLayout(self._presets)
        self._column.addWidget(self._scroll, 1)
        self._column.addLayout(self._foot)

    def _append(self, layout: CacheLayout) -> None:
        row = LayoutRow(self._look, self._base, layout)
        row.changed.connect(self._follow)
        row.removed.connect(self._on_removed)
        self._list.insertWidget(len(self.rows), row)
        self.rows.append(row)

    def _drop(self, row: LayoutRow) -> None:
        row.hide()
        self._list.removeWidget(row)
        row.deleteLater()

    def _take(self, preset: LayoutPreset, _checked: bool = False) -> None:
        self.show_layouts(preset.layouts(self._base.layout))

    @Slot()
    def _follow(self) -> None:
        """Say what it would take, or why it cannot be done."""
        for place, row in enumerate(self.rows):
            row.set_place(place)
        self.add_button.set_reason(FULL if len(self.rows) >= MOST_LAYOUTS else None)
        self.compare_button.setText(f"Compare {len(self.rows)}")
        try:
            self._check_rows()
            configs = compared_configs(self._base, self.layouts, self._free_bytes)
        except InputError as error:
            self.cost.setText("")
            self.compare_button.set_reason(str(error))
            return
        recorded = sum(config.cost.trace for config in configs)
        largest = max(config.cost.cache for config in configs)
        self.cost.setText(
            f"largest cache {bytes_text(largest)} · recorded in all {bytes_text(recorded)}"
        )
        self.compare_button.set_reason(None)

    def _check_rows(self) -> None:
        problem = next((row.problem for row in self.rows if row.problem), "")
        if problem:
            raise InputError(problem)

    @Slot()
    def _on_add(self) -> None:
        last = self.rows[-1].layout_wanted if self.rows else None
        self._append(last or self._base.layout)
        self._follow()

    @Slot(object)
    def _on_removed(self, row: LayoutRow) -> None:
        self.rows.remove(row)
        self._drop(row)
        self._follow()

    @Slot()
    def _on_compare(self) -> None:
        layouts = self.layouts
        self.accept()
        self.chosen.emit(layouts)

    @Slot()
    def _restyle(self) -> None:
        px = self._look.px
        self._column.setContentsMargins(px(24), px(20), px(24), px(16))
        self._column.setSpacing(px(14))
        self._presets.setSpacing(px(8))
        self._list.setSpacing(px(4))
        self._foot.setSpacing(px(8))
        self._more.setContentsMargins(px(20), 0, 0, 0)
        self.setMinimumWidth(px(WIDTH))
        self.resize(px(WIDTH), px(470))
