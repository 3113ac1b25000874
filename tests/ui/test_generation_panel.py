from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from kvviz.session.settings import Settings
from kvviz.sizing.kernel import Kernel
from kvviz.ui.panels.generation_panel import FIRST_TEMPERATURE, GenerationPanel


@pytest.fixture
def panel(qtbot, store, look):
    panel = GenerationPanel(store, look)
    qtbot.addWidget(panel)
    panel.resize(248, 260)
    return panel


def test_new_tokens_stop_where_the_limit_is_full(panel, store):
    row = panel.max_new_tokens
    row.slider.triggerAction(row.slider.SliderAction.SliderToMaximum)
    assert store.controls.settings.max_new_tokens == 64 - 18
    assert "18 prompt tokens" in row.toolTip()
    assert "Stops at 46" in row.toolTip()


def test_a_higher_limit_gives_room_for_more(panel, store):
    store.change("max_seq_len", 1024)
    panel.max_new_tokens.edit.setText("1000")
    panel.max_new_tokens.edit.commit()
    assert store.controls.settings.max_new_tokens == 1000


def test_more_tokens_than_there_is_room_for_stay_as_they_were_asked(panel, store):
    store.apply(replace(Settings(), max_new_tokens=50))
    assert panel.max_new_tokens.value == 50
    assert store.controls.problem


def test_what_shapes_a_draw_is_on_only_when_one_is_made(panel, store):
    assert panel.temperature.isHidden()
    assert not panel.top_p.isEnabled()
    panel.sampling.button(False).click()
    assert store.controls.settings.temperature == FIRST_TEMPERATURE
    assert not panel.temperature.isHidden()
    assert panel.top_p.isEnabled()
    panel.temperature.settled.emit(1.3)
    panel.sampling.button(True).click()
    assert store.controls.settings.temperature == 0.0
    assert panel.temperature.isHidden()
    panel.sampling.button(False).click()
    assert store.controls.settings.temperature == 1.3


def test_top_k_and_top_p_say_off_where_they_are(panel, store):
    assert panel.top_k.edit.text() == "off"
    assert panel.top_p.edit.text() == "off"
    panel.top_k.settled.emit(40)
    panel.top_p.settled.emit(0.9)
    assert (store.controls.settings.top_k, store.controls.settings.top_p) == (40, 0.9)
    assert panel.top_k.edit.text() == "40"
    assert panel.top_p.edit.text() == "0.9"


def test_a_temperature_between_the_steps_can_be_typed(panel, store):
    panel.sampling.button(False).click()
    panel.temperature.edit.setText("0.55")
    panel.temperature.edit.commit()
    assert store.controls.settings.temperature == 0.55


def test_the_prefill_chunk_is_folded_away(panel, store):
    assert panel.prefill_chunk.isHidden()
    panel.more.click()
    assert not panel.prefill_chunk.isHidden()
    assert not panel.draws.isHidden()
    assert panel.prefill_chunk.edit.text() == "256"
    for typed, text, chunk in (("7", "7", 7), ("0", "off", 0)):
        panel.prefill_chunk.edit.setText(typed)
        panel.prefill_chunk.edit.commit()
        assert panel.prefill_chunk.edit.text() == text
        assert store.controls.settings.prefill_chunk == chunk
    panel.more.click()
    assert panel.prefill_chunk.isHidden()


def test_the_seed_counts_up_by_button_and_arrow(qtbot, panel, store):
    panel.seed.next.click()
    assert store.controls.settings.seed == 1
    qtbot.keyClick(panel.seed.edit, Qt.Key.Key_Up)
    qtbot.keyClick(panel.seed.edit, Qt.Key.Key_Down)
    assert store.controls.settings.seed == 1


@pytest.mark.parametrize(
    ("typed", "taken"),
    [("1234", 1234), ("1,234", 1234), ("-5", 0), ("99999999999", 2**31 - 1), ("x", 3), ("", 3)],
)
def test_a_typed_seed_is_brought_into_range(qtbot, panel, store, typed, taken):
    store.change("seed", 3)
    panel.seed.edit.setText(typed)
    qtbot.keyClick(panel.seed.edit, Qt.Key.Key_Return)
    assert store.controls.settings.seed == taken
    assert panel.seed.edit.text() == str(taken)


def test_undo_is_shown_without_an_echo(panel, store):
    changed = replace(Settings(), temperature=1.5, top_k=10, top_p=0.5, seed=9, prefill_chunk=4)
    store.apply(changed)
    assert panel.seed.value == 9
    assert panel.temperature.value == 1.5
    store.undo()
    assert panel.seed.value == 0
    assert panel.sampling.value is True
    assert store.controls.settings == Settings()


def test_a_tile_is_asked_for_where_attention_goes_in_tiles(panel, store):
    panel.more.click()
    assert panel.tile.isHidden()
    store.change("kernel", Kernel.BLOCKWISE)
    assert not panel.tile.isHidden()
    panel.tile.settled.emit(8)
    assert (store.controls.planned.kernel, store.controls.planned.tile) == (Kernel.BLOCKWISE, 8)
    panel.more.click()
    assert panel.tile.isHidden()
    store.undo()
    store.undo()
    assert panel.kernel.value is Kernel.SDPA
