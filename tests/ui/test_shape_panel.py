import html
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from kvviz.session.model_words import parameters_text
from kvviz.session.settings import Settings
from kvviz.sizing.shape import ModelShape, Positions
from kvviz.sizing.units import bytes_text
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec
from kvviz.ui.panels.shape_panel import ShapePanel


@pytest.fixture
def panel(qtbot, store, look):
    panel = ShapePanel(store, look)
    qtbot.addWidget(panel)
    panel.resize(248, 260)
    return panel


def test_sliders_show_the_settings(panel):
    settings = Settings()
    assert {control: row.value for control, row in panel.rows.items()} == {
        "num_layers": settings.num_layers,
        "num_heads": settings.num_heads,
        "num_kv_heads": settings.num_kv_heads,
        "head_dim": settings.head_dim,
    }


def test_a_move_is_followed_at_once_and_runs_at_rest(qtbot, panel, store):
    slider = panel.rows["num_layers"].slider
    qtbot.keyPress(slider, Qt.Key.Key_Right)
    assert store.controls.settings.num_layers == 5
    assert store._rest.isActive()


def test_a_drag_does_not_run_until_it_rests(panel, store):
    row = panel.rows["head_dim"]
    row.moved.emit(64)
    assert store.controls.settings.head_dim == 64
    assert not store._rest.isActive()
    row.settled.emit(64)
    assert store._rest.isActive()


def test_the_formula_follows_a_drag(panel, store):
    before = dict(panel.costs.figures)
    panel.rows["num_layers"].moved.emit(8)
    settings = store.controls.settings
    cost = settings.cost(len(store.controls.prompt_ids))
    assert panel.costs.figures["weights"] == bytes_text(cost.weights)
    assert panel.costs.figures["cache"] == bytes_text(cost.cache)
    assert panel.costs.figures["trace"] == bytes_text(cost.trace)
    assert panel.costs.figures["weights"] != before["weights"]
    assert panel.costs.figures["free"] == "8.00 GiB free"


def test_kv_heads_are_divisors_only(panel, store):
    row = panel.rows["num_kv_heads"]
    panel.rows["num_heads"].moved.emit(12)
    positions = []
    for position in range(row.slider.maximum() + 1):
        row.slider.setValue(position)
        positions.append(row.value)
    assert positions == [1, 2, 3, 4, 6, 12]


@pytest.mark.parametrize(
    ("heads", "kv_heads", "said"), [(6, 6, "MHA 6/6"), (6, 2, "GQA 6/2"), (6, 1, "MQA 6/1")]
)
def test_the_kind_of_attention_is_named(panel, store, heads, kv_heads, said):
    store.apply(replace(store.controls.settings, num_heads=heads, num_kv_heads=kv_heads))
    assert panel.sharing.text() == said
    assert panel.sharing.toolTip()


def test_undo_is_shown_without_an_echo(panel, store):
    panel.rows["num_layers"].settled.emit(9)
    assert panel.rows["num_layers"].value == 9
    history = store.controls.settings
    store.undo()
    assert panel.rows["num_layers"].value == Settings().num_layers
    store.redo()
    assert store.controls.settings == history


def test_positions_can_be_chosen(panel, store):
    panel.positions.button(Positions.NONE).click()
    assert store.controls.settings.positions is Positions.NONE


def test_memory_stops_a_slider_and_says_the_numbers(qtbot, worker, look, monkeypatch, store):
    monkeypatch.setattr("kvviz.ui.controlled_scene.free_bytes", lambda: 64 * 2**20)
    store.controls._free_bytes = lambda: 64 * 2**20
    store.change("num_heads", 16)
    panel = ShapePanel(store, look)
    qtbot.addWidget(panel)
    row = panel.rows["num_layers"]
    stop = store.controls.stops["num_layers"]
    assert stop.highest < 24
    assert row.slider.limit is not None
    assert f"{stop.highest:,}" in row.toolTip()
    assert "MiB" in row.toolTip()
    row.slider.triggerAction(row.slider.SliderAction.SliderToMaximum)
    assert store.controls.settings.num_layers == stop.highest


def trained(shape, source=ModelSource.BUILT_IN, path=None):
    return ModelChoice(ModelSpec(shape, source, path=path))


def test_random_weights_say_what_is_real(panel):
    assert panel.source_text == "random weights: the text is noise; the costs are real."


def test_a_model_is_named_with_its_size_and_context(panel, store):
    store.use_model(trained(ModelShape(6, 6, 2, 32, 2048, Positions.ROPE, context=512)))
    assert panel.source_text == "tiny stories · 3.16 M parameters · context 512"
    assert panel.rows["num_layers"].isEnabled()


def test_a_slider_leaves_the_model_and_one_click_leads_back(panel, store):
    choice = trained(ModelShape(6, 6, 2, 32, 2048, Positions.ROPE, context=512))
    store.use_model(choice)
    panel.rows["num_layers"].settled.emit(5)
    settings = store.controls.settings
    assert (settings.model, settings.left, settings.num_layers) == (None, choice, 5)
    assert panel.source_text.startswith("random weights: the text is noise; the costs are real.")
    assert "Back to built-in" in panel.source_text
    panel.source.linkActivated.emit("back")
    settings = store.controls.settings
    assert (settings.model, settings.left, settings.num_layers) == (choice, None, 6)


def test_what_a_drag_says_moves_no_slider_away_from_the_mouse(qtbot, panel, store):
    store.use_model(trained(ModelShape(6, 6, 2, 32, 2048, Positions.ROPE, context=512)))
    panel.resize(250, panel.sizeHint().height())
    panel.show()
    before = [row.y() for row in panel.rows.values()]
    height = panel.minimumSizeHint().height()
    panel.rows["num_layers"].settled.emit(5)
    qtbot.waitUntil(lambda: panel.minimumSizeHint().height() > height)
    panel.adjustSize()
    panel.layout().activate()
    assert [row.y() for row in panel.rows.values()] == before


def test_a_tutorials_file_leaves_the_sliders_free(panel, store):
    path = "/models/tiny-causal-lm.safetensors"
    store.use_model(trained(ModelShape(), ModelSource.TUTORIAL, path))
    count = parameters_text(ModelShape().num_parameters)
    assert html.unescape(panel.source_text) == f"tiny-causal-lm.safetensors · {count} parameters"
    assert all(row.isEnabled() for row in panel.rows.values())
    assert path in panel.source.toolTip()
    panel.rows["num_layers"].settled.emit(4)
    assert "Back to tiny-causal-lm.safet…" in panel.source_text


def test_a_long_name_is_cut_in_its_middle(panel, store):
    name = "a-very-long-name-that-nobody-should-have-given-to-a-file.safetensors"
    store.use_model(trained(ModelShape(), ModelSource.TUTORIAL, f"/models/{name}"))
    metrics = panel.source.fontMetrics()
    assert metrics.horizontalAdvance(panel.source.text()) <= panel.width()
    assert panel.source.text().endswith("parameters")
    assert name in panel.source.toolTip()


def test_a_name_is_never_read_as_markup(panel, store):
    store.use_model(trained(ModelShape(), ModelSource.FOLDER, "/models/<b>bold"))
    assert "&lt;b&gt;bold" in panel.source.text()


def test_a_shape_beyond_the_sliders_is_shown_as_it_is(panel, store):
    store.use_model(trained(ModelShape(30, 9, 3, 64, 49152, Positions.ROPE, hidden_width=576)))
    rows = panel.rows
    assert {control: row.value for control, row in rows.items()} == {
        "num_layers": 30,
        "num_heads": 9,
        "num_kv_heads": 3,
        "head_dim": 64,
    }
    assert rows["num_layers"].edit.text() == "30"
    assert store.controls.settings.model is not None
    rows["num_layers"].slider.triggerAction(rows["num_layers"].slider.SliderAction.SliderToMinimum)
    assert store.controls.settings.num_layers == 1


def test_learned_positions_are_offered_only_by_the_model_that_has_them(panel, store):
    assert panel.positions.button(Positions.LEARNED).isHidden()
    store.use_model(trained(ModelShape(2, 4, 4, 16, 128, Positions.LEARNED, context=64)))
    assert panel.positions.value is Positions.LEARNED
    panel.positions.button(Positions.ROPE).click()
    assert store.controls.settings.positions is Positions.ROPE
    assert store.controls.settings.model is None
    assert panel.positions.button(Positions.LEARNED).isHidden()


def test_what_is_seldom_needed_is_folded_away(panel):
    assert panel.costs.free_row.isHidden()
    panel.more.click()
    assert not panel.costs.free_row.isHidden()
    panel.show()
    panel.adjustSize()
    top = panel.positions.mapTo(panel, panel.positions.rect().topLeft()).y()
    assert top >= panel.costs.geometry().bottom() + 4
