"""Which model: those that come along, with search, or any config.json."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from kvviz.session.calculator.model import kind_of, tutorial_model
from kvviz.sizing.errors import InputError
from kvviz.sizing.presets import Preset
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.model_list import ModelList
from kvviz.ui.calculator.part import Part
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button, IconButton
from kvviz.ui.widgets.explain import explain

_tutorial = tutorial_model()
TUTORIAL = Preset(_tutorial.name, _tutorial.source, _tutorial.raw, _tutorial.parameters)
OPEN = "Open a config.json. It can also be dropped on this page"
PASTE = "Paste the text of a config.json"
PIN = "Keep this model's curve in the chart, beside the next ones."
SEARCH = "Part of a name; Down and Up go through what is found, Enter takes the lit one."


class Search(QLineEdit):
    """Says when it is ``left``: Qt's own editingFinished is silent where nothing was typed."""

    left = Signal()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell."""
        super().focusOutEvent(event)
        self.left.emit()


class ModelPart(Part):
    """Search, list, and the ways in for a config.json; ``wanted`` asks for a file."""

    wanted = Signal()
    pasted = Signal()

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__(desk, look, "Model", gap=6)
        self._kinds: dict[str, str] = {}
        self.search = Search()
        self.list = ModelList(look, self._kind)
        self.open = IconButton(look, "open", OPEN, "Ctrl+O", kind="quiet", small=True)
        self.paste = IconButton(look, "copy", PASTE, "Ctrl+V", kind="quiet", small=True)
        self.pin = Button(look, "Pin", PIN, kind="quiet", tight=True)
        self.pin.setCheckable(True)
        explain(self.search, SEARCH)
        presets = list(desk.presets.by_name.values())
        self.search.setPlaceholderText(f"Search {len(presets) + 1} models, or drop a config.json")
        self.search.setClearButtonEnabled(False)
        self.search.setAccessibleName("Search models")
        for button in (self.pin, self.paste, self.open):
            self.header.add_right(button)
        self.list.set_presets([TUTORIAL, *presets])
        self.add(self.search, self.list)
        self.setFocusProxy(self.search)
        self.search.textChanged.connect(self.list.filter)
        self.search.returnPressed.connect(self._take_lit)
        self.search.left.connect(self.list.rest)
        self.list.chosen.connect(self._on_chosen)
        self.open.clicked.connect(self.wanted)
        self.paste.clicked.connect(self.pasted)
        self.pin.clicked.connect(desk.pin)
        self.begin()

    def refresh(self) -> None:
        """Light the model on screen."""
        self.search.setFont(self.look.font(13))
        self.list.show_chosen(self.desk.sheet.model.name)
        pinned = self.desk.calculator.is_pinned(self.desk.sheet.model.name)
        self.pin.setChecked(pinned)
        self.pin.setText("Pinned" if pinned else "Pin")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows go through what the search found, Esc empties the search."""
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up) and self.search.hasFocus():
            self.list.walk(event)
        elif event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
        else:
            super().keyPressEvent(event)

    def _kind(self, preset: Preset) -> str:
        """How a model keeps its cache, read when it is first seen."""
        if preset.name not in self._kinds:
            try:
                self._kinds[preset.name] = kind_of(preset.read())
            except InputError:
                self._kinds[preset.name] = "refused"
        return self._kinds[preset.name]

    @Slot()
    def _take_lit(self) -> None:
        if (preset := self.list.lit()) is not None:
            self._on_chosen(preset)

    @Slot(object)
    def _on_chosen(self, preset: Preset) -> None:
        if preset is TUTORIAL:
            desk = self.desk
            desk.attempt(lambda: desk.sheet.with_model(tutorial_model()), "model")
        elif preset.name != self.desk.sheet.model.name:
            self.desk.choose(preset)
        self.refresh()
