import pytest
from engine_runs import config_of, run
from fake_store import FakeStore
from PySide6.QtGui import QPainter

from kvviz.session.gap_text import gap_text
from kvviz.sizing.kernel import Kernel
from kvviz.trace.trace import Trace
from kvviz.ui.views.grid_view import GridView
from kvviz.ui.views.kernel_facts import KernelFacts


def blockwise_trace(tile=3, kind="preallocated", **fields):
    config = config_of(kind, kernel=Kernel.BLOCKWISE, tile=tile, **fields)
    trace = Trace(config)
    for item in run(config):
        trace.append(*item)
    return trace


@pytest.fixture
def scene(qapp):
    return FakeStore(blockwise_trace())


@pytest.fixture
def grid(qtbot, scene, look):
    grid = GridView(scene, look)
    qtbot.addWidget(grid)
    grid.resize(500, 460)
    return grid


def test_what_is_there_at_once_does_not_move(grid):
    assert not grid.tiles.moving
    assert grid.tiles.going == len(grid.tiles.tiling.tiles) == 4


def test_a_step_shows_its_tiles_one_after_the_other(qtbot, grid, scene):
    scene.seek(0)
    assert grid.tiles.moving
    assert grid.tiles.going == 1
    assert not grid.grab().isNull()
    qtbot.waitUntil(lambda: not grid.tiles.moving)
    assert grid.tiles.going == len(grid.tiles.tiling.tiles) == 6


def test_a_cursor_that_stays_does_not_begin_again(qtbot, grid, scene):
    scene.seek(0)
    qtbot.waitUntil(lambda: not grid.tiles.moving)
    scene.seek(0)
    assert not grid.tiles.moving


def test_with_reduced_motion_all_tiles_are_there_at_once(grid, scene):
    grid.tiles.reduced_motion = lambda: True
    scene.seek(0)
    assert not grid.tiles.moving
    assert grid.tiles.going == 6


def test_a_run_that_plays_is_not_held_up(grid, scene):
    scene.seek(0)
    scene.set_pace(4.0)
    scene.toggle_play()
    scene.playback.cursor = 1
    grid.tiles.follow()
    assert not grid.tiles.moving


def test_many_tiles_take_no_longer(grid, scene):
    scene.show_trace(blockwise_trace(tile=1, prompt_ids=tuple(range(30))), cursor=1)
    scene.seek(0)
    ticks = 0
    while grid.tiles.moving:
        grid.tiles._tick()
        ticks += 1
    assert grid.tiles.going == 465
    assert ticks <= 16


def test_other_kernels_have_no_tiles(grid, scene):
    config = config_of()
    trace = Trace(config)
    for item in run(config):
        trace.append(*item)
    scene.show_trace(trace)
    assert grid.tiles.tiling is None
    assert not grid.grab().isNull()


def test_a_tile_of_a_ring_lights_all_of_its_pieces(qtbot, grid, scene, monkeypatch):
    scene.show_trace(blockwise_trace(kind="sliding:5", max_new_tokens=4))
    grid.tiles.follow()
    scene.seek(2)
    assert [len(tile) for tile in grid.tiles.tiling.tiles] == [1, 2]
    drawn = []
    monkeypatch.setattr(QPainter, "drawRects", lambda _, boxes: drawn.append(len(boxes)))
    grid.tiles.going = 2
    assert grid.tiles.moving
    grid.grab()
    assert drawn == [3, 3, 2]  # dark, light, and what is lit now
    qtbot.waitUntil(lambda: not grid.tiles.moving)


def test_tiles_too_small_to_be_seen_are_not_drawn(grid, scene, monkeypatch):
    monkeypatch.setattr(QPainter, "drawRects", lambda *_: pytest.fail("they were drawn"))
    scene.show_trace(blockwise_trace(tile=1, prompt_ids=tuple(range(30)) * 4, max_seq_len=200))
    assert grid.tiles.tiling.tiles
    grid.grab()


@pytest.fixture
def facts(qtbot, scene, look):
    made = KernelFacts(scene, look)
    qtbot.addWidget(made)
    made.resize(172, 120)
    made.show()
    return made


def test_they_say_tiles_gap_and_that_the_cache_stays(facts, scene):
    scene.seek(0)
    facts.layout().activate()
    gap = gap_text(scene.trace.steps[0].kernel_gap)
    assert facts.text.splitlines() == [
        "3 × 3",  # noqa: RUF001
        "6 computed, 3 skipped",
        f"at most {gap} from eager",
        "exact; no smaller cache",
    ]
    scene.seek(-1)
    assert facts.gap.text == ""
    assert facts.tiles.text == ""


def test_in_one_narrow_line_numbers_come_before_words(qtbot, facts, scene):
    scene.seek(0)
    facts.set_flat(True)
    facts.resize(312, 24)
    lines = facts.side, facts.tiles, facts.gap, facts.cache
    qtbot.waitUntil(lambda: not any(line.is_elided for line in lines))
    assert facts.tiles.text.startswith("6")
    assert gap_text(scene.trace.steps[0].kernel_gap) in facts.gap.text


@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        ("sliding:5", {}, "in ring order"),
        ("paged:4", {"batch": 2, "more_prompts": ((1, 2),)}, "whole blocks"),
        ("paged:4", {"batch": 2}, None),
    ],
)
def test_they_say_in_which_order_keys_come(facts, scene, kind, fields, said):
    scene.show_trace(blockwise_trace(kind=kind, **fields))
    facts.layout().activate()
    assert facts.side.text == "3 × 3" + (f", {said}" if said else "")  # noqa: RUF001
    assert ("ring" in facts.side.toolTip()) is (said == "in ring order")
    assert ("whole blocks" in facts.side.toolTip()) is (said == "whole blocks")


def test_they_are_of_this_kernel_only(qtbot, look):
    store = FakeStore()
    made = KernelFacts(store, look)
    qtbot.addWidget(made)
    assert made.isHidden()
    store.show_trace(blockwise_trace())
    assert not made.isHidden()
