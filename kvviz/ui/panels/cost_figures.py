"""What the run would take, beside what there is."""

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from kvviz.sizing.cost import RunCost, memory_limit
from kvviz.sizing.units import bytes_text
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.tag import Tag

MEANING = {
    "weights": "The model's parameters in its dtype.",
    "cache": "Keys and values of all layers at the highest moment of the run.",
    "trace": "What is recorded to be drawn: Q, K, V, the heads' outputs and logits of one sequence "
    "in float32.",
}
UNKNOWN = "—"


class CostFigures(QWidget):
    """Weights, cache and trace by the formula; ``free_row``, free memory as measured, apart."""

    def __init__(self, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._figures: dict[str, Label] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        for column, (name, meaning) in enumerate(MEANING.items()):
            self._add(name, meaning, column)
            self._grid.setColumnStretch(column, 1)
        self._grid.addWidget(Tag(look, "formula"), 1, len(MEANING))
        self._free = Label(look, size=11, tone="secondary")
        self.free_row = QWidget()
        self._foot = QHBoxLayout(self.free_row)
        self._foot.setContentsMargins(0, 0, 0, 0)
        self._foot.addWidget(self._free)
        self._foot.addStretch(1)
        self._foot.addWidget(Tag(look, "measured"))
        self.restyle()

    @property
    def figures(self) -> dict[str, str]:
        """The figures on screen, by name; ``free`` is the whole sentence."""
        texts = {name: label.text() for name, label in self._figures.items()}
        return texts | {"free": self._free.text()}

    def show_cost(self, cost: RunCost | None, free_bytes: int) -> None:
        """Show a predicted cost (None: there is none) and the free memory, in bytes."""
        parts = {} if cost is None else {name: getattr(cost, name) for name in MEANING}
        for name, label in self._figures.items():
            label.setText(bytes_text(parts[name]) if name in parts else UNKNOWN)
            label.setAccessibleName(f"{name}: {label.text()}, formula")
        over = cost is not None and cost.total > memory_limit(free_bytes)
        self._free.setText(f"{bytes_text(free_bytes)} free")
        self._free.set_tone("error" if over else "secondary")
        self._free.setAccessibleName(f"{self._free.text()}, measured")
        limit = bytes_text(memory_limit(free_bytes))
        explain(
            self._free,
            f"Memory that is free on this machine now; a run may take {limit} of it, and the "
            "sliders stop there.",
        )

    def restyle(self) -> None:
        """Follow the zoom."""
        self._grid.setHorizontalSpacing(self._look.px(6))
        self._grid.setVerticalSpacing(0)
        self.free_row.setMinimumHeight(self._look.px(24))
        self._foot.setSpacing(self._look.px(6))

    def _add(self, name: str, meaning: str, column: int) -> None:
        caption = Label(self._look, name, size=11, tone="muted")
        figure = Label(self._look, UNKNOWN)
        explain(caption, meaning)
        explain(figure, meaning)
        self._figures[name] = figure
        self._grid.addWidget(caption, 0, column)
        self._grid.addWidget(figure, 1, column)
