import pytest
from hand_made import hand_made_trace
from still_worker import deliver, play

from kvviz.session.settings import Settings
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.messages import DropPool, PoolKept
from kvviz.ui.panels.cache_panel import CachePanel

SEEN = {
    LayoutKind.PAGED: {"block_size", "shares"},
    LayoutKind.SLIDING: {"keys_seen", "sinks"},
    LayoutKind.QUANTIZED: {"bits", "residual"},
}
NAMES = ("block_size", "shares", "keys_seen", "sinks", "bits", "residual")


@pytest.fixture
def panel(qtbot, store, look):
    panel = CachePanel(store, look)
    qtbot.addWidget(panel)
    panel.resize(248, 300)
    panel.show()
    return panel


@pytest.mark.parametrize("kind", LayoutKind)
def test_a_layout_shows_what_it_can_be_told_and_no_other(panel, store, kind):
    store.change("layout", kind)
    seen = {name for name in NAMES if getattr(panel.layout_rows, name).isVisible()}
    assert seen == SEEN.get(kind, set())


@pytest.mark.parametrize(
    ("row", "control", "value"),
    [
        ("block_size", "block_size", 4),
        ("keys_seen", "window", 24),
        ("sinks", "sinks", 4),
        ("residual", "residual", 16),
    ],
)
def test_each_slider_sets_its_number(panel, store, row, control, value):
    getattr(panel.layout_rows, row).settled.emit(value)
    assert getattr(store.controls.settings.cache_layout, control) == value
    store.undo()
    assert getattr(panel.layout_rows, row).value == getattr(Settings(), control)


def test_any_block_size_may_be_typed(panel, store):
    store.change("layout", LayoutKind.PAGED)
    panel.layout_rows.block_size.edit.setText("5")
    panel.layout_rows.block_size.edit.commit()
    assert store.controls.settings.block_size == 5


def test_codes_of_four_bits(panel, store):
    panel.layout_rows.bits.button(4).click()
    assert store.controls.settings.bits == 4


def test_sharing_is_a_switch(panel, store):
    store.change("layout", LayoutKind.PAGED)
    panel.layout_rows.shares.click()
    assert store.controls.planned.shares_pool
    store.undo()
    assert not panel.layout_rows.shares.on


def test_a_batch_of_prompts_is_not_copied_by_the_slider(panel, store):
    store.change("more_prompts", "and\nmore", settled=False)
    assert panel.batch.value == 3
    assert not panel.batch.slider.isEnabled()
    assert "prompts typed above" in panel.batch.toolTip() + panel.batch.slider.toolTip()
    store.change("more_prompts", "", settled=False)
    assert panel.batch.slider.isEnabled()
    assert panel.batch.value == 1


def test_the_pool_is_there_with_its_bytes_until_it_is_dropped(panel, store, worker):
    assert panel.pool.isHidden()
    deliver(store, worker, PoolKept(384 * 1024))
    assert panel.pool.amount.text() == "384 KiB"
    panel.pool.drop.click()
    assert isinstance(worker.sent[-1], DropPool)
    deliver(store, worker, PoolKept(0, 384 * 1024))
    assert panel.pool.isHidden()
    assert store.notice.text == "The pool was dropped: 384 KiB given back, measured."
    assert not store.notice.is_error


def test_a_pool_in_use_is_not_dropped(panel, store, worker):
    store.change("layout", LayoutKind.PAGED)
    store.change("shares_pool", True)
    store.run()
    deliver(store, worker, PoolKept(1024))
    assert not panel.pool.drop.isEnabled()
    store.drop_pool()
    assert "Wait" in store.notice.text
    config = store.shown.config
    trace = hand_made_trace(
        len(config.prompt_ids), config.max_new_tokens, shape=config.model.shape, max_seq_len=64
    )
    play(store, worker, store.shown.run_id, trace)
    assert store.continue_problem == ""
    panel.pool.drop.click()
    assert "released" in store.continue_problem
