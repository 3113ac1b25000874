"""The pool that runs share, given back with the mouse in the real window."""

from PySide6.QtCore import Qt

from kvviz.sizing.layout import LayoutKind


def run_to_the_end(qtbot, store):
    before = store.shown
    store.run()
    qtbot.waitUntil(lambda: store.shown is not before and store.runs.live is None)


def test_a_click_gives_the_pool_back_and_the_next_prompt_finds_nothing(qtbot, window):
    store, pool = window.store, window.playground.controls.cache.pool
    window.resize(1280, 720)  # low enough to scroll
    qtbot.waitUntil(lambda: store.shown is not None and store.runs.live is None)
    for control, value in (("layout", LayoutKind.PAGED), ("block_size", 4), ("shares_pool", True)):
        store.change(control, value, settled=False)
    run_to_the_end(qtbot, store)
    run_to_the_end(qtbot, store)
    assert store.trace.steps[0].num_tokens_reused > 0
    qtbot.waitUntil(lambda: pool.isVisible() and pool.drop.reason is None)
    held = store.pool_bytes
    assert held == store.trace.steps[-1].measured.pool
    area = window.playground.controls.area
    area.ensureWidgetVisible(pool.drop)
    inside = pool.drop.mapTo(area.viewport(), pool.drop.rect().center())
    assert area.viewport().rect().contains(inside)
    qtbot.mouseClick(pool.drop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: store.pool_bytes == 0 and pool.isHidden())
    assert "given back" in store.notice.text
    store.seek(len(store.trace) - 1)
    assert window.playground.centre.cache_map.usage.text == "given back: 0 B held"
    run_to_the_end(qtbot, store)
    assert store.trace.steps[0].num_tokens_reused == 0
