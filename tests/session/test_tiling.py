from dataclasses import dataclass, field

import numpy as np
import pytest
from engine_runs import config_of, generation_of, shape_of

from kvviz.model.kernels import blockwise
from kvviz.session.tiling import Patch, kernel_gap, tiling
from kvviz.sizing.kernel import Kernel
from kvviz.sizing.shape import Positions
from kvviz.trace.trace import Trace

TILE = 3
NEAR = 0.05  # relative to a key's length: codes are not the key itself
LONG, SHORT = (7, 3, 11, 60, 2, 2, 45), (1, 2)
UNEQUAL = {"batch": 2, "more_prompts": (SHORT,)}


@dataclass
class Step:
    """What one layer's kernel was given and where it went."""

    keys: np.ndarray  # row 0's, [S, D]
    fed: int
    corners: list[tuple[int, int]] = field(default_factory=list)


class Watched:
    """The kernel itself, which writes down the tiles of each step's first layer."""

    def __init__(self):
        self.steps, self._corners = [], []
        self._kernel = blockwise(TILE, lambda *corner: self._corners.append(corner))
        self.new = True

    def __call__(self, q, keys, *rest):
        self._corners.clear()
        out = self._kernel(q, keys, *rest)
        if self.new:
            step = Step(keys[0, 0].float().numpy().copy(), q.shape[2], list(self._corners))
            self.steps.append(step)
            self.new = False
        return out


def recorded(text="preallocated", **fields):
    """A run, and what the kernel did in each of its steps."""
    fields = {"shape": shape_of(positions=Positions.ROPE)} | fields
    config = config_of(text, kernel=Kernel.BLOCKWISE, tile=TILE, **fields)
    trace, generation = Trace(config), generation_of(config)
    generation._attention = watched = Watched()
    for item in generation.run():
        trace.append(*item)
        watched.new = True
    return trace, watched.steps


def walked(trace, step, did):
    """The cells of row 0's tokens in each visited tile, told by the keys themselves."""
    known = trace.keys(0)[0, : step.seq_len]
    away = np.linalg.norm(did.keys[:, None] - known, axis=2) / np.linalg.norm(known, axis=1)
    tokens = [int(row.argmin()) if row.min() < NEAR else None for row in away]
    # A short row of blocks is filled up with copies of one, which a mask hides.
    tokens = [t if t not in tokens[:place] else None for place, t in enumerate(tokens)]
    first = len(did.keys) - did.fed  # tiles begin where they do among the keys
    cells = []
    for row, key in did.corners:
        end = min(did.fed, row + TILE - (first + row) % TILE)
        rows = range(step.seq_len - did.fed + row, step.seq_len - did.fed + end)
        keys = [token for token in tokens[key : key + TILE] if token is not None]
        cells.append({(r, k) for r in rows for k in keys if r >= 0})
    return [tile for tile in cells if tile]


def drawn(found):
    return [
        {
            (row, key)
            for patch in tile
            for row in range(patch.first_row, patch.end_row)
            for key in range(patch.first_key, patch.end_key)
        }
        for tile in found.tiles
    ]


LATE = {"batch": 3, "prompt_ids": SHORT, "more_prompts": (LONG, (5, 6, 9, 8, 4))}
CHUNKS = {"prefill_chunk": 4}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("none", {}),
        ("concat", CHUNKS),
        ("preallocated", LATE),
        ("quantized:int8", UNEQUAL | CHUNKS),
        ("paged:4", {"batch": 2}),
        *((f"paged:{size}", fields) for size in (1, 4, 16) for fields in (UNEQUAL | CHUNKS, LATE)),
        *(
            (f"sliding:{window}", fields)
            for window in ("1", "4", "5+2", "3+4")
            for fields in (CHUNKS, UNEQUAL | CHUNKS, LATE)
        ),
        ("sliding:5+2", {"max_new_tokens": 20, "shape": shape_of(1, Positions.ROPE)}),
        ("sliding:64", {}),
    ],
    ids=str,
)
def test_they_are_those_that_the_kernel_visits(text, fields):
    trace, steps = recorded(text, **fields)
    assert len(steps) == len(trace)
    for step, did in zip(trace.steps, steps, strict=True):
        assert drawn(tiling(trace, step, layer=0)) == walked(trace, step, did), step.index


def test_what_is_masked_as_a_whole_is_skipped():
    trace, _ = recorded()
    found = tiling(trace, trace.steps[0], layer=0)
    assert (len(found.tiles), found.skipped) == (6, 3)
    newest = tiling(trace, trace.steps[2], layer=0)
    assert newest.tiles == ((Patch(8, 9, 0, 3),), (Patch(8, 9, 3, 6),), (Patch(8, 9, 6, 9),))
    assert newest.skipped == 0


def test_a_tile_of_a_rings_slots_lies_in_pieces_where_they_go_round():
    trace, _ = recorded("sliding:5", max_new_tokens=4)
    newest = tiling(trace, trace.steps[-1], layer=0)
    assert newest.tiles == ((Patch(9, 10, 5, 8),), (Patch(9, 10, 8, 10),))
    before = tiling(trace, trace.steps[-2], layer=0)
    assert before.tiles == ((Patch(8, 9, 5, 8),), (Patch(8, 9, 8, 9), Patch(8, 9, 4, 5)))


def test_a_window_leaves_out_what_no_row_of_the_batch_sees():
    trace, _ = recorded("sliding:3", prompt_ids=tuple(range(12)))
    found = tiling(trace, trace.steps[0], layer=0)
    assert found.skipped == 16 - len(found.tiles) == 9


def test_blocks_that_only_longer_rows_have_are_not_the_shown_rows():
    trace, _ = recorded("paged:4", **LATE)
    found = tiling(trace, trace.steps[0], layer=0)
    assert all(0 <= row < end <= 2 for ((row, end, *_),) in found.tiles)
    assert found.skipped > 0


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
