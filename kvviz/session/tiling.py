"""The tiles that a step's attention went through, and how far that is from eager attention."""

from dataclasses import dataclass

from kvviz.sizing.kernel import Kernel, Tile, tiles
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.step import Step
from kvviz.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Tiling:
    """Tiles of one head in one step, in the order they were computed, and how many were skipped."""

    tiles: tuple[Tile, ...]
    skipped: int


def tiling(trace: Trace, step: Step, layer: int) -> Tiling | None:
    """Return the tiles of a step in rows and keys of the grid; None where they lie otherwise.

    A sliding cache numbers the keys it still holds, and a paged one reads whole blocks of rows of
    unequal lengths: their tiles are none of the grid's squares.
    """
    config = trace.config
    moved = config.layout.kind is LayoutKind.SLIDING
    ragged = config.layout.kind is LayoutKind.PAGED and bool(config.pads)
    if config.kernel is not Kernel.BLOCKWISE or moved or ragged:
        return None
    pad = config.pads[0] if config.pads else 0
    window = config.model.shape.window(layer)
    fed = step.num_tokens_fed
    first = step.seq_len - fed
    # What is padded is fed too, in the pass that begins the row.
    start = first + pad if first else 0
    every = tuple(tiles(start, first + fed + pad - start, config.tile, window))
    seen = tuple(_moved(tile, pad) for tile in every if not tile.skipped)
    return Tiling(tuple(filter(_has_tokens, seen)), len(every) - len(seen))


def kernel_gap(trace: Trace, upto: int) -> float | None:
    """Return the largest difference from eager attention in steps 0 to ``upto``, all layers."""
    gaps = (step.kernel_gap for step in trace.steps[: upto + 1])
    return max((gap for gap in gaps if gap is not None), default=None)


def _moved(tile: Tile, pad: int) -> Tile:
    first_row, end_row, first_key, end_key = (max(0, place - pad) for place in tile[:4])
    return Tile(first_row, end_row, first_key, end_key, tile.skipped)


def _has_tokens(tile: Tile) -> bool:
    return tile.end_row > tile.first_row and tile.end_key > tile.first_key
