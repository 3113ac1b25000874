"""Every value of the config, to be typed over."""

from functools import partial

from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvviz.session.calculator.fields import Field, fields_of
from kvviz.session.calculator.model import SizedModel, read_value
from kvviz.sizing.errors import InputError
from kvviz.sizing.units import count_text
from kvviz.ui.calculator.desk import CalculatorDesk
from kvviz.ui.calculator.part import Part
from kvviz.ui.calculator.typed_row import TypedRow
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.prose import Prose

EDIT = "Change any value of the config: Enter asks again, and what cannot be is refused."


class FieldsPart(Part):
    """Where the model is from, what was taken from defaults, and, unfolded, its values."""

    def __init__(self, desk: CalculatorDesk, look: ThemeManager) -> None:
        super().__init__(desk, look, "Read from the file", gap=6)
        self.source = Prose(look, tone="secondary")
        self.assumed = Prose(look, tone="secondary")
        self.rows: dict[str, TypedRow] = {}
        self._model: SizedModel | None = None
        self._values = QWidget()
        self._list = QVBoxLayout(self._values)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(0)
        self.add(self.source, self.assumed)
        self.add_more(self._values, names="every value of the config, to be typed over")
        self.more.toggled.connect(self._fill)
        self.begin()

    def refresh(self) -> None:
        """Show what was read of the model on screen."""
        model = self.desk.sheet.model
        config = model.config
        said = [count_text(config.num_layers, "layer")]
        if config.num_kv_heads:
            said.append(count_text(config.num_kv_heads, "KV head"))
        if config.max_positions:
            said.append(count_text(config.max_positions, "position"))
        self.source.setText(f"{model.name}: {', '.join(said)}\nSource: {model.source}")
        self.assumed.setText("\n".join(config.assumptions))
        self.assumed.setVisible(bool(config.assumptions))
        if model is not self._model:
            self._model = model
            self._fill()

    def _fill(self) -> None:
        """Make the rows only where they can be seen: some configs have many."""
        if not self.more.isChecked():
            return
        fields = fields_of(self.desk.sheet.model)
        if [field.name for field in fields] != list(self.rows):
            self._rebuild(fields)
        for field in fields:
            self.rows[field.name].show_text(field.text)
            self.rows[field.name].edit.setCursorPosition(0)

    def _rebuild(self, fields: list[Field]) -> None:
        for row in self.rows.values():
            row.blockSignals(True)  # what was half typed was meant for the model before
            row.hide()
            row.deleteLater()
        self.rows.clear()
        for field in fields:
            label = field.path[-1]
            row = TypedRow(self.look, label, f"{field.name}. {EDIT}", empty="not given", wide=True)
            row.typed.connect(partial(self._on_typed, field))
            self.rows[field.name] = row
            self._list.addWidget(row)

    def _on_typed(self, field: Field, text: str) -> None:
        try:
            value = read_value(text) if text else None
        except InputError as error:
            self.desk.refuse(str(error))
        else:
            self.desk.edit(field.path, value)
        if self.desk.calculator.problem:
            self._fill()
