"""The model's shape: how many layers and heads, and how wide they are."""

from pathlib import PurePath

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from kvviz.session.limits import HEAD_DIMS, HEADS, LAYERS
from kvviz.session.settings import Settings
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import ModelShape, Positions, kv_head_choices
from kvviz.ui.panels.bind import KEYS, bind_choice, bind_slider, show_setting
from kvviz.ui.panels.cost_figures import CostFigures
from kvviz.ui.panels.panel import Panel, yield_width
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.button import Button
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.field_row import FieldRow
from kvviz.ui.widgets.label import Label
from kvviz.ui.widgets.segmented import Segmented
from kvviz.ui.widgets.slider_row import SliderRow
from kvviz.ui.widgets.stops import Number
from kvviz.ui.widgets.tag import Tag

SLIDERS: dict[str, tuple[str, str, range, str]] = {
    "num_layers": ("Layers", "layers", LAYERS, "Blocks of the model. Each keeps K and V of its own,"
                   " so the cache grows with them."),
    "num_heads": ("Query heads", "heads", HEADS, "Heads that ask, per layer. More of them make the"
                  " model wider, and cost cache only where they have KV heads of their own."),
    "num_kv_heads": ("KV heads", "heads", HEADS, "Heads that are kept, per layer: a divisor of the"
                     " query heads. The cache is proportional to them."),
    "head_dim": ("Head size", "values", HEAD_DIMS, "Width of one head's query, key and value."),
}  # fmt: skip
POSITIONS = (
    (Positions.NONE, "none", "The tutorial's model: nothing tells a token where it stands."),
    (Positions.ROPE, "RoPE", "Rotates queries and keys by their place; the cache keeps its size."),
)
SHARING = {
    "MHA": "Multi-head attention: every query head has a KV head of its own.",
    "GQA": "Grouped-query attention: {group} query heads share one KV head, so the cache is "
    "1/{group} of what it would be with one each.",
    "MQA": "Multi-query attention: all {group} query heads share one KV head, so the cache is "
    "1/{group} of what it would be with one each.",
}


class ShapePanel(Panel):
    """Sliders of the shape, where its weights come from, and what that costs."""

    def __init__(self, store: Store, look: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(store, look, "Model shape", parent=parent)
        self.sharing = Tag(look, "GQA", "")
        self.header.add_right(self.sharing)
        self.source = Label(look, size=11, tone="muted")
        self.back = Button(look, "Back to random weights", "Leave the file and its shape.")
        settings = store.controls.settings
        self.rows = {control: self._row(control, settings) for control in SLIDERS}
        self.positions = Segmented(look, POSITIONS, settings.positions, name="Positions")
        self.costs = CostFigures(look)
        self.add(self.source)
        self.add(self.back, gap=4)
        for control, row in self.rows.items():
            bind_slider(row, store, control)
            self.add(row)
        self.add(FieldRow(look, "Positions", self.positions))
        self.add(self.costs, gap=6)
        bind_choice(self.positions, store, "positions")
        self.back.clicked.connect(self._on_back)
        yield_width(self.source)
        self.source.setTextFormat(Qt.TextFormat.PlainText)
        self.refresh()

    @property
    def source_text(self) -> str:
        """Where the weights come from."""
        settings = self.store.controls.settings
        if settings.model is None:
            return f"random weights, seed {settings.seed}: noise text, real costs"
        return f"{settings.model.spec.name} · {settings.num_heads} heads"

    def refresh(self) -> None:
        """Show the shape, its stops, or that a file fixes it."""
        controls = self.store.controls
        settings = controls.settings
        self.rows["num_kv_heads"].set_steps(kv_head_choices(settings.num_heads))
        for control, row in self.rows.items():
            show_setting(row, self.store, control)
        self.positions.set_value(settings.positions)
        self._show_source(settings)
        try:
            self._show_sharing(settings.shape)
            cost = settings.cost(len(controls.prompt_ids))
        except InputError:
            cost = None
        self.costs.show_cost(cost, controls.free)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much of a file's name as there is room for."""
        super().resizeEvent(event)
        self._elide_source()

    def restyle(self) -> None:
        """Follow the zoom."""
        self.costs.restyle()

    def _row(self, control: str, settings: Settings) -> SliderRow:
        label, unit, values, tooltip = SLIDERS[control]
        value: Number = getattr(settings, control)
        tooltip = f"{tooltip} {KEYS}"
        return SliderRow(self.look, label, unit, 0, 0, value, steps=values, tooltip=tooltip)

    def _show_source(self, settings: Settings) -> None:
        file = None if settings.model is None else settings.model.spec.path
        self._elide_source()
        explain(
            self.source,
            f"Weights of {file}; the heads were named when it was opened."
            if file
            else "Nobody trained them: what they write is noise, what they cost is real. "
            "Open a .safetensors file of the tutorial's model to run your own.",
        )
        self.back.setVisible(file is not None)
        reason = None if file is None else f"The shape is fixed by {PurePath(file).name}."
        for row in self.rows.values():
            row.set_reason(reason)
        self.positions.set_reason(reason)

    def _elide_source(self) -> None:
        metrics, middle = self.source.fontMetrics(), Qt.TextElideMode.ElideMiddle
        self.source.setText(metrics.elidedText(self.source_text, middle, self.width()))

    def _show_sharing(self, shape: ModelShape) -> None:
        kind = shape.attention_kind
        self.sharing.setText(f"{kind} {shape.num_heads}/{shape.num_kv_heads}")
        self.sharing.setAccessibleName(self.sharing.text())
        explain(self.sharing, SHARING[kind].format(group=shape.group_size))

    @Slot()
    def _on_back(self) -> None:
        self.store.apply(self.store.controls.settings.with_random_weights())
