"""The calculator with a voice: intents in, ``changed`` out; files are read beside the window."""

import os
from collections.abc import Callable

from PySide6.QtCore import QMimeData, QObject, Signal, Slot

from kvviz.session.calculator.calculator import Calculator
from kvviz.session.calculator.model import SizedModel, from_file, from_preset, from_text
from kvviz.session.calculator.sheet import Sheet
from kvviz.sizing.errors import InputError
from kvviz.sizing.presets import Preset, Presets, load_presets
from kvviz.ui.background import Background
from kvviz.ui.drop import dropped_path

FIRST_PINS = ("Meta-Llama-3.1-8B", "gpt-oss-20b", "DeepSeek-V3")
BUSY = "Another file is still being read: try again in a moment."


class CalculatorDesk(QObject):
    """What a person asks; every refusal is one sentence, and the answer before stays.

    ``changed`` follows each answer and each refusal.
    """

    changed = Signal()

    def __init__(self, presets: Presets | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.presets = load_presets() if presets is None else presets
        self.calculator = Calculator()
        self._background = Background(self)
        self._background.failed.connect(self.refuse)
        self._closed = False
        for name in FIRST_PINS:
            if (preset := self.presets.by_name.get(name.lower())) is not None:
                self.calculator.pin(from_preset(preset))
        if self.presets.problems:
            self.calculator.refuse(self.presets.problems[0])

    @property
    def sheet(self) -> Sheet:
        """What is asked."""
        return self.calculator.sheet

    @property
    def busy(self) -> bool:
        """Whether a file is being read."""
        return self._background.busy

    # Intents

    def take(self, sheet: Sheet, control: str, settled: bool = True) -> None:
        """Ask something else; moves of one control until it settles are one step back."""
        self.calculator.change(sheet, control, settled=settled)
        self.changed.emit()

    def ask(self, control: str, value: object, settled: bool = True) -> None:
        """Change one part of the question, by its name there."""
        self.take(self.sheet.asking(**{control: value}), control, settled)

    def attempt(self, change: Callable[[], Sheet], control: str) -> None:
        """Ask what ``change`` returns, or say the sentence that it raises."""
        try:
            sheet = change()
        except InputError as error:
            self.refuse(str(error))
        else:
            self.take(sheet, control)

    def choose(self, preset: Preset) -> None:
        """Size a model that comes along."""
        self.attempt(lambda: self.sheet.with_model(from_preset(preset)), "model")

    def take_model(self, model: SizedModel) -> None:
        """Size a model that was read."""
        if not self._closed:
            self.attempt(lambda: self.sheet.with_model(model), "model")

    def edit(self, path: tuple[str, ...], value: object) -> None:
        """Type over one value of the config."""
        model = self.sheet.model
        self.attempt(lambda: self.sheet.with_model(model.with_value(path, value)), "field")

    def open_path(self, path: str) -> None:
        """Size the model of a config.json, or of the folder that has one."""
        place = os.path.join(path, "config.json") if os.path.isdir(path) else path
        if not self._background.do(lambda: from_file(os.path.abspath(place)), self.take_model):
            self.refuse(BUSY)

    def paste(self, text: str) -> None:
        """Size the model of a config.json's text."""
        if not text.strip():
            self.refuse("There is no text on the clipboard: copy a config.json first.")
            return
        self.attempt(lambda: self.sheet.with_model(from_text(text)), "model")

    def drop(self, mime: QMimeData) -> None:
        """Take a file, a folder, or text."""
        if mime.hasText() and not mime.hasUrls():
            self.paste(mime.text())
            return
        try:
            path = dropped_path(mime)
        except InputError as error:
            self.refuse(str(error))
        else:
            self.open_path(path)

    def pin(self, on: bool) -> None:
        """Keep the shown model's curve, or let go of it."""
        model = self.sheet.model
        try:
            if on:
                self.calculator.pin(model)
            else:
                self.calculator.unpin(model.name)
            self.calculator.problem = ""
        except InputError as error:
            self.calculator.refuse(str(error))
        self.changed.emit()

    def unpin(self, name: str) -> None:
        """Let go of a pinned model."""
        self.calculator.unpin(name)
        self.changed.emit()

    @Slot()
    def undo(self) -> None:
        """Bring the previous sheet back."""
        if self.calculator.undo():
            self.changed.emit()

    @Slot()
    def redo(self) -> None:
        """Bring an undone sheet back."""
        if self.calculator.redo():
            self.changed.emit()

    @Slot(str)
    def refuse(self, problem: str) -> None:
        """Say why something cannot be done."""
        if not self._closed:
            self.calculator.refuse(problem)
            self.changed.emit()

    @Slot()
    def dismiss(self) -> None:
        """Take the refusal off the screen."""
        if self.calculator.problem:
            self.refuse("")

    def shut_down(self) -> None:
        """Let what is being read end; nobody hears of it."""
        self._closed = True
        self._background.shut_down()
