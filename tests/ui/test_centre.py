"""Who gets the height of the window's middle."""

import pytest
from chart_stand import put_up
from comparison_stand import compare
from hand_made import hand_made_trace
from pool_runs import LONG, pool_traces, sharing

from kvviz.ui.centre import ROOM_FOR_CACHE_MAP, TALLER_THAN_GRID, Centre

ENOUGH = ROOM_FOR_CACHE_MAP


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


def test_a_comparison_needs_more_than_the_grid(centre, store, worker):
    compare(store, worker)
    assert centre.cache_fold.folded
    centre.resize(760, ENOUGH + TALLER_THAN_GRID)
    assert not centre.cache_fold.folded
    centre.resize(760, ENOUGH)
    centre.comparison.back.click()
    assert not centre.cache_fold.folded
