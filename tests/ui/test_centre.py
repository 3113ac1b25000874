"""Who gets the height of the window's middle."""

import pytest
from chart_stand import put_up
from comparison_stand import compare
from engine_runs import config_of, run
from hand_made import hand_made_trace
from pool_runs import LONG, pool_traces, sharing

from kvviz.trace.trace import Trace
from kvviz.ui.centre import (
    ROOM_FOR_ALL,
    ROOM_FOR_CACHE_MAP,
    ROOM_FOR_HEADS,
    TALLER_THAN_GRID,
    Centre,
)
from kvviz.ui.views.cache_map import LOW

ENOUGH = ROOM_FOR_CACHE_MAP


def paged_trace():
    config = config_of("paged:4", batch=4, max_seq_len=300, max_new_tokens=40)
    trace = Trace(config)
    for item in run(config):
        trace.append(*item)
    return trace


@pytest.fixture
def centre(qtbot, store, look):
    return put_up(qtbot, Centre(store, look), 760, ENOUGH)


def test_the_cache_map_is_there_from_the_least_height_on(centre, store):
    store.adopt(hand_made_trace())
    assert not centre.cache_fold.folded
    centre.resize(760, ENOUGH - 1)
    assert centre.cache_fold.folded


def test_panels_below_the_map_need_room_of_their_own(centre, store):
    store.adopt(hand_made_trace())
    store.adopt(pool_traces(sharing(*LONG))[0])
    assert not centre.prefix.isHidden()
    assert centre.cache_fold.folded
    centre.resize(760, ENOUGH + centre.prefix.sizeHint().height())
    assert not centre.cache_fold.folded


def test_a_map_shown_without_room_has_that_of_a_spared_prefix(centre, store):
    store.adopt(pool_traces(sharing(*LONG))[0])
    assert centre.cache_fold.folded
    centre.spare_panels(True)
    assert not centre.prefix.isHidden()
    centre.cache_fold.want(True)
    assert centre.cache_fold.button.isHidden()
    centre.spare_panels(True)
    assert centre.prefix.isHidden()
    assert centre.cache_fold.squeezed
    centre.cache_fold.want(None)
    centre.spare_panels(False)
    assert not centre.prefix.isHidden()
    centre.cache_fold.button.click()
    assert not centre.cache_fold.folded
    assert not centre.cache_fold.button.isHidden()


def test_a_comparison_needs_more_than_the_grid(centre, store, worker):
    compare(store, worker)
    assert centre.cache_fold.folded
    centre.resize(760, ENOUGH + TALLER_THAN_GRID)
    assert not centre.cache_fold.folded
    centre.resize(760, ENOUGH)
    centre.comparison.back.click()
    assert not centre.cache_fold.folded


def test_in_little_height_the_grid_comes_first(qtbot, centre, store):
    store.adopt(paged_trace())
    qtbot.waitUntil(lambda: store.frames.idle)
    tokens, cache_map = centre.tokens, centre.cache_map
    centre.resize(760, ROOM_FOR_ALL)
    qtbot.waitUntil(lambda: cache_map.height() > LOW)
    roomy = tokens.height()
    centre.resize(760, ROOM_FOR_ALL - 1)
    qtbot.waitUntil(lambda: cache_map.height() <= max(LOW, cache_map.minimumSizeHint().height()))
    assert tokens.height() < roomy


def test_what_block_wise_attention_did_costs_the_grid_no_height(centre, store):
    store.adopt(hand_made_trace())
    centre.layout().activate()
    before = centre.grid.height()
    centre.kernel.setVisible(True)
    centre.layout().activate()
    assert centre.grid.height() == before
    assert centre.kernel.geometry().top() >= centre.heads.geometry().bottom()


def test_without_room_beside_the_grid_they_stand_in_one_line_below_it(qtbot, centre, store):
    store.adopt(hand_made_trace())
    centre.kernel.setVisible(True)
    centre.setMinimumSize(1, 1)
    centre.resize(ROOM_FOR_HEADS - 1, ENOUGH)
    grid, kernel = centre.grid, centre.kernel
    qtbot.waitUntil(lambda: kernel.geometry().top() >= grid.geometry().bottom())
    assert centre.kernel.height() < 30
