"""The model's shape: how many layers and heads, and how wide they are."""

import html

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from kvviz.session.limits import HEAD_DIMS, HEADS, LAYERS
from kvviz.session.model_words import NOISE, model_line
from kvviz.session.settings import Settings
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import ModelShape, Positions, kv_head_choices
from kvviz.trace.config import ModelChoice, ModelSource
from kvviz.ui.panels.bind import bind_choice, setting_slider, show_setting
from kvviz.ui.panels.cost_figures import CostFigures
from kvviz.ui.panels.panel import Panel
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.explain import explain
from kvviz.ui.widgets.field_row import FieldRow
from kvviz.ui.widgets.prose import Prose
from kvviz.ui.widgets.segmented import Segmented
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
    (Positions.LEARNED, "learned", "A vector for each place, added to the token's."),
)
BACK = "back"
LONGEST_NAME = 20
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
        self.source = Prose(look)
        self.source.setTextFormat(Qt.TextFormat.RichText)
        self.source.linkActivated.connect(self._on_back)
        settings = store.controls.settings
        self.rows = {
            control: setting_slider(store, look, control, *said)
            for control, said in SLIDERS.items()
        }
        self.positions = Segmented(look, POSITIONS, settings.positions, name="Positions")
        self.costs = CostFigures(look)
        for row in self.rows.values():
            self.add(row)
        # Below what is dragged: its second line would push a slider away from the mouse.
        self.add(self.source, gap=2)
        self.add(self.costs, gap=6)
        positions = FieldRow(look, "Positions", self.positions)
        self.add_more(positions, self.costs.free_row, names="positions, free memory", gap=4)
        bind_choice(self.positions, store, "positions")
        self.refresh()

    @property
    def source_text(self) -> str:
        """Where the weights come from, in rich text; a link where one step leads back."""
        settings = self.store.controls.settings
        if settings.model is not None:
            metrics, middle = self.source.fontMetrics(), Qt.TextElideMode.ElideMiddle
            line = metrics.elidedText(model_line(settings.model.spec), middle, self.width())
            return html.escape(line, quote=False)
        if settings.left is None:
            return f"{NOISE}."
        name = html.escape(_short(settings.left), quote=False)
        return f"{NOISE}. <a href='{BACK}'>Back to {name}</a>"

    def refresh(self) -> None:
        """Show the shape, its stops, and whose it is."""
        controls = self.store.controls
        settings = controls.settings
        self.rows["num_kv_heads"].set_steps(kv_head_choices(settings.num_heads))
        for control, row in self.rows.items():
            show_setting(row, self.store, control)
        self.positions.set_value(settings.positions)
        learned = settings.positions is Positions.LEARNED
        self.positions.button(Positions.LEARNED).setVisible(learned)
        self.positions.button(Positions.NONE).setVisible(not learned)
        self._show_source(settings)
        try:
            self._show_sharing(settings.shape)
            cost = settings.cost(len(controls.prompt_ids))
        except InputError:
            cost = None
        self.costs.show_cost(cost, controls.free)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much of a model's name as there is room for."""
        super().resizeEvent(event)
        self.source.setText(self.source_text)

    def restyle(self) -> None:
        """Follow the zoom."""
        self.costs.restyle()

    def _show_source(self, settings: Settings) -> None:
        self.source.setText(self.source_text)
        explain(self.source, _explained(settings))

    def _show_sharing(self, shape: ModelShape) -> None:
        kind = shape.attention_kind
        self.sharing.setText(f"{kind} {shape.num_heads}/{shape.num_kv_heads}")
        self.sharing.setAccessibleName(self.sharing.text())
        explain(self.sharing, SHARING[kind].format(group=shape.group_size))

    @Slot(str)
    def _on_back(self, _target: str) -> None:
        if (left := self.store.controls.settings.left) is not None:
            self.store.use_model(left)


def _short(choice: ModelChoice) -> str:
    """Name a model to go back to; the built-in one is called by what it is."""
    spec = choice.spec
    return (
        "built-in"
        if spec.source is ModelSource.BUILT_IN
        else spec.name
        if len(spec.name) <= LONGEST_NAME
        else f"{spec.name[:LONGEST_NAME]}…"
    )


def _explained(settings: Settings) -> str:
    model = settings.model
    if model is None:
        return (
            f"Nobody trained them, they begin with seed {settings.seed}: what they write is noise, "
            "what they cost is real. Open a model to run your own."
        )
    where = model.spec.path or "kvviz itself, trained on children's stories"
    return (
        f"{model_line(model.spec)}. Weights of {where}. Moving a slider goes on with random "
        "weights of that shape; one click leads back."
    )
