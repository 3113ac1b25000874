"""How attention is computed: the ways, and the tiles of the one that goes block by block."""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class Kernel(StrEnum):
    """sdpa: what torch has.  eager: scores, softmax and sum one after the other, whole.

    blockwise: tile by tile with a running softmax, never a whole row of scores.  All are exact;
    none changes what is cached.
    """

    SDPA = "sdpa"
    EAGER = "eager"
    BLOCKWISE = "blockwise"


class Tile(NamedTuple):
    """Queries ``first_row`` to ``end_row`` against keys ``first_key`` to ``end_key``.

    Places in the sequence; a tile that no query sees into is skipped.
    """

    first_row: int
    end_row: int
    first_key: int
    end_key: int
    skipped: bool


def tiles(before: int, fed: int, size: int, window: int = 0) -> Iterator[Tile]:
    """Go through a step's tiles as the kernel does: ``fed`` queries behind ``before`` keys.

    They lie alike in every step: at multiples of ``size`` in the sequence, cut where it ends.
    """
    end = before + fed
    for corner in range(before - before % size, end, size):
        row, end_row = max(corner, before), min(corner + size, end)
        for key in range(0, end, size):
            end_key = min(key + size, end)
            future = key >= end_row
            left = bool(window) and end_key <= row - window + 1
            yield Tile(row, end_row, key, end_key, future or left)
