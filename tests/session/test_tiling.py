import pytest
from engine_runs import config_of, generation_of, shape_of

from kvviz.model.kernels import blockwise
from kvviz.session.tiling import Tiling, kernel_gap, tiling
from kvviz.sizing.kernel import Kernel, Tile
from kvviz.trace.trace import Trace

TILE = 3


def recorded(text="preallocated", **fields):
    """A run, and for each of its steps the corners of the tiles that one layer visited."""
    config = config_of(text, kernel=Kernel.BLOCKWISE, tile=TILE, **fields)
    seen, trace = [], Trace(config)
    generation = generation_of(config)
    generation._attention = blockwise(TILE, lambda row, key: seen.append((row, key)))
    visited = []
    for item in generation.run():
        trace.append(*item)
        visited.append(list(dict.fromkeys(seen)))
        seen.clear()
    return trace, visited


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("preallocated", {}),
        ("concat", {"prefill_chunk": 4}),
        ("paged:4", {"batch": 2}),
        ("none", {}),
        ("preallocated", {"batch": 2, "more_prompts": ((1, 2),)}),
    ],
    ids=str,
)
def test_they_are_those_that_the_kernel_visits(text, fields):
    trace, visited = recorded(text, **fields)
    for step, corners in zip(trace.steps, visited, strict=True):
        first = step.seq_len - step.num_tokens_fed
        found = tiling(trace, step, layer=0)
        assert [(tile.first_row - first, tile.first_key) for tile in found.tiles] == corners


def test_a_row_that_begins_late_shows_the_tiles_that_have_its_tokens():
    trace, visited = recorded(batch=2, prompt_ids=(1, 2), more_prompts=((1, 2, 3, 4, 5, 6),))
    found = tiling(trace, trace.steps[0], layer=0)
    assert all(0 <= tile.first_row < tile.end_row <= 2 for tile in found.tiles)
    later = tiling(trace, trace.steps[3], layer=0)
    keys = [(tile.first_key, tile.end_key) for tile in later.tiles]
    assert keys == [(0, 2), (2, 5)]
    assert len(visited[3]) == 3  # the first of them holds padding alone


def test_what_is_masked_as_a_whole_is_skipped():
    trace, _ = recorded()
    found = tiling(trace, trace.steps[0], layer=0)
    assert (len(found.tiles), found.skipped) == (6, 3)
    newest = tiling(trace, trace.steps[2], layer=0)
    assert newest == Tiling(
        (Tile(8, 9, 0, 3, False), Tile(8, 9, 3, 6, False), Tile(8, 9, 6, 9, False)), 0
    )


@pytest.mark.parametrize(
    ("text", "fields"),
    [("sliding:4", {}), ("paged:4", {"batch": 2, "more_prompts": ((1, 2),)})],
)
def test_tiles_of_other_places_are_not_drawn_on_the_grid(text, fields):
    trace, _ = recorded(text, **fields)
    assert tiling(trace, trace.steps[0], layer=0) is None


def test_other_kernels_have_none():
    config = config_of()
    trace = Trace(config)
    for item in generation_of(config).run():
        trace.append(*item)
    assert tiling(trace, trace.steps[0], layer=0) is None
    assert kernel_gap(trace, 3) is None


def test_the_gap_is_the_largest_up_to_the_step():
    config = config_of(kernel=Kernel.BLOCKWISE, tile=2, shape=shape_of(2))
    trace = Trace(config)
    for item in generation_of(config).run():
        trace.append(*item)
    gaps = [step.kernel_gap for step in trace.steps]
    assert [kernel_gap(trace, index) for index in range(len(gaps))] == [
        max(gaps[: index + 1]) for index in range(len(gaps))
    ]
    assert kernel_gap(trace, -1) is None
