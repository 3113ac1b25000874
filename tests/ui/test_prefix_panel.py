import pytest
from engine_runs import config_of
from pool_runs import LONG, pool_traces, sharing
from PySide6.QtCore import QPointF, Qt

from kvviz.session.prefix_report import EMPTY_POOL
from kvviz.session.selection import Pointer
from kvviz.sizing.blocks import Miss
from kvviz.ui.views.cell_readout import read_out
from kvviz.ui.views.grid_view import GridView
from kvviz.ui.views.prefix_panel import PrefixPanel

SECOND = (1, 2, 3, 4, 9, 9, 7)


@pytest.fixture
def panel(qtbot, store, look):
    panel = PrefixPanel(store, look)
    qtbot.addWidget(panel)
    panel.resize(720, 90)
    return panel


@pytest.fixture
def two_runs(store):
    for trace in pool_traces(sharing(*LONG), sharing(*SECOND)):
        store.adopt(trace)
    store.seek(len(store.trace) - 1)
    return store


def test_it_is_there_only_while_the_shown_run_shares_a_pool(panel, store):
    assert panel.isHidden()
    [own, first] = pool_traces(config_of("paged:2"), sharing(*LONG))
    store.adopt(own)
    assert panel.isHidden()
    store.adopt(first)
    assert not panel.isHidden()
    assert panel.reasons.text() == EMPTY_POOL


def test_it_says_what_was_found_saved_and_missed(panel, two_runs):
    assert panel.found.text == "4 of 7 tokens found, 3 computed"
    assert panel.cells.text == "18 of 28 score cells"
    assert panel.ttft.text.startswith("TTFT ")
    assert ", 7 computed" in panel.ttft.text
    assert panel.reasons.text().splitlines() == [
        f"Block 3: {Miss.NEVER_STORED.value}.",
        f"Block 4: {Miss.NOT_FULL.value}.",
    ]


def test_in_a_narrow_place_what_has_no_room_is_left_out_whole(panel, two_runs):
    panel.resize(312, 90)
    panel.layout().activate()
    assert not any(line.is_elided for line in (panel.found, panel.ttft, panel.cells))
    assert panel.cells.text == "18 of 28"
    panel.set_low(True)
    assert panel.reasons.text() == f"Block 3: {Miss.NEVER_STORED.value}."


def test_it_leaves_its_room_for_a_while(panel, two_runs):
    panel.spare(True)
    panel.refresh()
    assert panel.isHidden()
    assert panel.there
    panel.spare(False)
    assert not panel.isHidden()


def test_each_block_says_its_tokens_and_its_fate(panel, two_runs):
    boxes = panel.blocks.boxes()
    assert len(boxes) == 4
    said = [panel.blocks.explained(QPointF(box.center())) for box in boxes]
    assert said[0].startswith("block 1, tokens 0 to 1")
    assert said[0].endswith("found in the pool, not computed")
    assert said[2].endswith(Miss.NEVER_STORED.value)
    assert panel.blocks.explained(QPointF(700, 5)) == ""
    assert panel.blocks.accessibleDescription() == "found: 2 of 4 blocks"


def test_blocks_never_leave_their_room(panel, two_runs):
    panel.blocks.resize(60, 20)
    assert panel.blocks.boxes()[-1].right() <= 60
    assert all(a.right() <= b.left() + 1 for a, b in zip(*pairs(panel.blocks.boxes()), strict=True))


def pairs(boxes):
    return boxes[:-1], boxes[1:]


def test_both_painted(panel, two_runs):
    assert not panel.grab().isNull()


def test_rows_that_were_found_have_no_scores(qtbot, two_runs, look):
    store = two_runs
    grid = GridView(store, look)
    qtbot.addWidget(grid)
    assert store.found_rows == 4
    assert "found in the pool" in read_out(store, (2, 1)).text
    assert "score" in read_out(store, (5, 1)).text
    store.seek(0)
    assert grid.newest == range(4, 7)
    store.select(cell=(4, 0))
    store.move_cell(-1, 0)
    assert store.selection.cell == (4, 0)
    store.seek(-1)
    assert store.found_rows == 0


def test_a_found_row_is_not_inspected_by_a_click(qtbot, two_runs, look):
    store = two_runs
    grid = GridView(store, look)
    qtbot.addWidget(grid)
    grid.resize(500, 460)
    grid.show()
    for cell, kept in (((5, 1), (5, 1)), ((2, 1), None)):
        place = grid.camera.cell_rect(*cell).center().toPoint()
        qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=place)
        assert store.selection.cell == kept
    store.point(Pointer())
