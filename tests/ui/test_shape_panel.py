from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from kvviz.session.settings import Settings
from kvviz.sizing.shape import Positions
from kvviz.sizing.units import bytes_text
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
    assert panel.costs.figures["free"] == "8 GiB free"


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
    monkeypatch.setattr("kvviz.ui.store.free_bytes", lambda: 64 * 2**20)
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


def test_random_weights_are_named_with_their_seed(panel, store):
    store.change("seed", 42)
    assert panel.source_text == "random weights, seed 42: noise text, real costs"
    assert panel.back.isHidden()


def test_a_file_fixes_the_shape_until_one_goes_back(panel, store):
    weights = "/models/tiny-causal-lm.safetensors"
    store.apply(replace(Settings(), weights=weights, num_heads=4, num_kv_heads=4, vocab_size=128))
    assert panel.source_text == "tiny-causal-lm.safetensors · 4 heads"
    for row in panel.rows.values():
        assert not row.isEnabled()
        assert "tiny-causal-lm.safetensors" in row.toolTip()
    assert not panel.positions.button(Positions.ROPE).isEnabled()
    assert not panel.back.isHidden()
    panel.back.click()
    assert store.controls.settings.weights is None
    assert store.controls.settings.num_heads == 4
    assert store.controls.problem == ""
    assert all(row.isEnabled() for row in panel.rows.values())


def test_a_long_file_name_is_cut_in_its_middle(panel, store):
    name = "a-very-long-name-that-nobody-should-have-given-to-a-file.safetensors"
    store.apply(replace(Settings(), weights=f"/models/{name}"))
    metrics = panel.source.fontMetrics()
    assert metrics.horizontalAdvance(panel.source.text()) <= panel.width()
    assert panel.source.text().endswith("heads")
    assert name in panel.source.toolTip()
