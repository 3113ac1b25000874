from dataclasses import replace

import pytest
from hand_made import hand_made_trace
from still_worker import ready

from kvviz.session.limits import SEQ_LENS
from kvviz.session.settings import Settings
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.trace import Trace
from kvviz.ui.panels.cache_panel import LAYOUTS, CachePanel


@pytest.fixture
def panel(qtbot, store, look):
    panel = CachePanel(store, look)
    qtbot.addWidget(panel)
    panel.resize(248, 220)
    return panel


def choose(dropdown, index):
    dropdown.setCurrentIndex(index)
    dropdown.activated.emit(index)


@pytest.mark.parametrize(("kind", "point"), [(kind, point) for kind, _, point in LAYOUTS])
def test_every_layout_explains_itself(panel, store, kind, point):
    choose(panel.layout_choice, [layout for layout, _, _ in LAYOUTS].index(kind))
    assert store.controls.settings.layout is kind
    assert panel.point.text() == point


def test_every_kind_of_layout_can_be_chosen():
    assert {kind for kind, _, _ in LAYOUTS} == set(LayoutKind)


def test_dtype_and_kv_dtype_are_two_choices(panel, store):
    panel.dtype.button(DType.BFLOAT16).click()
    assert store.controls.settings.cache_layout.kv_dtype is DType.BFLOAT16
    choose(panel.kv_dtype, 1)
    assert store.controls.settings.kv_dtype is DType.FLOAT32
    assert store.controls.settings.dtype is DType.BFLOAT16
    choose(panel.kv_dtype, 0)
    assert store.controls.settings.kv_dtype is None


def test_the_limit_moves_in_steps_and_any_length_may_be_typed(panel, store):
    row = panel.max_seq_len
    assert row.slider.maximum() == len(SEQ_LENS) - 1
    row.edit.setText("100")
    row.edit.commit()
    assert store.controls.settings.max_seq_len == 100
    assert row.edit.text() == "100"
    assert row.hint == ""


@pytest.mark.parametrize(("typed", "kept"), [("9999", 4096), ("1", 8), ("no", 64)])
def test_a_limit_out_of_range_is_brought_back_with_a_word(panel, store, typed, kept):
    panel.max_seq_len.edit.setText(typed)
    panel.max_seq_len.edit.commit()
    assert store.controls.settings.max_seq_len == kept
    assert panel.max_seq_len.hint


def test_batch_is_followed(panel, store):
    panel.batch.settled.emit(16)
    assert store.controls.settings.batch == 16


def test_undo_is_shown_everywhere(panel, store):
    changed = replace(
        Settings(), layout=LayoutKind.CONCAT, dtype=DType.FLOAT16, kv_dtype=DType.FLOAT32, batch=3
    )
    store.apply(changed)
    shown = (panel.layout_choice.value, panel.dtype.value, panel.kv_dtype.value, panel.batch.value)
    assert shown == (LayoutKind.CONCAT, DType.FLOAT16, DType.FLOAT32, 3)
    store.undo()
    shown = (panel.layout_choice.value, panel.dtype.value, panel.kv_dtype.value, panel.batch.value)
    assert shown == (LayoutKind.PREALLOCATED, DType.FLOAT32, None, 1)
    assert store.controls.settings == Settings()


def test_a_device_is_offered_only_where_there_is_a_choice(panel, store, worker):
    assert panel.device_row.isHidden()
    ready(store, worker, ("cpu", "cuda"))
    assert not panel.device_row.isHidden()
    choose(panel.device, 1)
    assert store.controls.settings.device == "cuda"


def test_a_device_that_is_gone_can_be_left(panel, store, worker):
    store.change("device", "cuda")
    ready(store, worker)
    assert panel.device.value == "cuda"
    choose(panel.device, 0)
    assert store.controls.settings.device == "cpu"


def test_a_run_that_stores_fp8_is_shown_as_such(panel, store):
    trace = hand_made_trace()
    layout = replace(trace.config.layout, kv_dtype=DType.FLOAT8_E4M3)
    store.adopt(Trace(replace(trace.config, layout=layout)))
    assert panel.kv_dtype.value is DType.FLOAT8_E4M3
    store.change("layout", LayoutKind.QUANTIZED, True)
    assert "fp8" in store.controls.problem or "float8" in store.controls.problem
