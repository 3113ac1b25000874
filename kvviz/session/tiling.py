"""The tiles that a step's attention went through, and how far that is from eager attention."""

from dataclasses import dataclass
from typing import NamedTuple

from kvviz.session.key_order import KeyOrder, Stretch, key_order, keys_read, stretches
from kvviz.sizing.kernel import Kernel, Tile, tiles
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.trace.config import RunConfig
from kvviz.trace.step import Step
from kvviz.trace.trace import Trace


class Patch(NamedTuple):
    """Rows and keys of the grid, next to each other, that a tile covers."""

    first_row: int
    end_row: int
    first_key: int
    end_key: int


@dataclass(frozen=True, slots=True)
class Tiling:
    """Tiles of one head in one step, in the order they were computed, and how many were skipped.

    A tile has ``side`` keys and as many queries.  Neighbours in a ring may lie far apart in the
    text: such a tile has several patches.
    """

    side: int
    tiles: tuple[tuple[Patch, ...], ...]
    skipped: int


def tiling(trace: Trace, step: Step, layer: int) -> Tiling | None:
    """Return the tiles of a step on the grid, those with none of its tokens left out.

    None for other kernels.
    """
    config = trace.config
    if config.kernel is not Kernel.BLOCKWISE:
        return None
    pads = config.pads or (0,)
    before = step.seq_len - step.num_tokens_fed
    # What is padded is fed too, in the pass that begins the row.
    before, after = before + pads[0] if before else 0, step.seq_len + pads[0]
    walk = _Walk(config, layer, before, after)
    computed = [tile for tile in walk.tiles if walk.computes(tile)]
    drawn = (walk.patches(tile) for tile in computed)
    return Tiling(config.tile, tuple(filter(None, drawn)), len(walk.tiles) - len(computed))


def kernel_gap(trace: Trace, upto: int) -> float | None:
    """Return the largest difference from eager attention in steps 0 to ``upto``, all layers."""
    gaps = (step.kernel_gap for step in trace.steps[: upto + 1])
    return max((gap for gap in gaps if gap is not None), default=None)


class _Walk:
    """The kernel's way through the keys as the cache hands them over, from its corner on."""

    def __init__(self, config: RunConfig, layer: int, before: int, after: int) -> None:
        self._layout, fed = config.layout, after - before
        first = keys_read(config, before, after) - fed  # the place among keys of the first query
        window = config.model.shape.window(layer)
        self.tiles = tuple(tiles(first, fed, config.tile, window))
        # Queries count from ``first`` on, a row's tokens from its own beginning.
        pads = config.pads or (0,)
        self._shifts = [before - pad - first for pad in pads]
        self._rows = [stretches(config, pad, before, after) for pad in pads]
        self._as_in_text = key_order(config) is KeyOrder.TEXT

    def computes(self, tile: Tile) -> bool:
        """Whether any row of the batch sees into a tile."""
        if tile.skipped or self._as_in_text:
            return not tile.skipped
        rows = zip(self._shifts, self._rows, strict=True)
        return any(_sees(self._layout, tile, shift, row) for shift, row in rows)

    def patches(self, tile: Tile) -> tuple[Patch, ...]:
        """Return where the recorded row's tokens of a tile are on the grid."""
        shift = self._shifts[0]
        first, end = max(0, tile.first_row + shift), max(0, tile.end_row + shift)
        spans = _tokens(tile, self._rows[0]) if first < end else []
        return tuple(Patch(first, end, token, last) for token, last in spans)


def _sees(layout: CacheLayout, tile: Tile, shift: int, row: list[Stretch]) -> bool:
    first, last = tile.first_row + shift, tile.end_row + shift - 1
    window = layout.window if layout.kind is LayoutKind.SLIDING else last + 1
    sinks = layout.sinks if layout.kind is LayoutKind.SLIDING else 0
    return any(
        token <= last and (end > first - window + 1 or token < sinks)
        for token, end in _tokens(tile, row)
    )


def _tokens(tile: Tile, row: list[Stretch]) -> list[tuple[int, int]]:
    """Return the tokens that are a tile's keys, from and to."""
    spans = ((max(s.first, tile.first_key), min(s.end, tile.end_key), s) for s in row)
    return [(s.token + a - s.first, s.token + b - s.first) for a, b, s in spans if a < b]
