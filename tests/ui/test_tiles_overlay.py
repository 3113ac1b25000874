import pytest
from engine_runs import config_of, run
from fake_store import FakeStore

from kvviz.session.gap_text import gap_text
from kvviz.sizing.kernel import Kernel
from kvviz.trace.trace import Trace
from kvviz.ui.views.grid_view import GridView
from kvviz.ui.views.kernel_line import KernelLine


def blockwise_trace(tile=3, **fields):
    config = config_of(kernel=Kernel.BLOCKWISE, tile=tile, **fields)
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


def test_the_line_says_tiles_gap_and_that_the_cache_stays(qtbot, scene, look):
    line = KernelLine(scene, look)
    qtbot.addWidget(line)
    line.resize(760, 20)
    line.show()
    scene.seek(0)
    line.layout().activate()
    said = line.text
    assert said.startswith("tiles of 3 × 3: 6 computed, 3 skipped at most ")  # noqa: RUF001
    assert said.endswith("from eager exact; no smaller cache")
    assert gap_text(scene.trace.steps[0].kernel_gap) in said
    scene.seek(-1)
    assert line.gap.text == ""


def test_the_line_is_of_this_kernel_only(qtbot, look):
    store = FakeStore()
    line = KernelLine(store, look)
    qtbot.addWidget(line)
    assert line.isHidden()
    store.show_trace(blockwise_trace())
    assert not line.isHidden()
