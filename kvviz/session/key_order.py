"""Which tokens attention reads in a step, in the order in which the cache hands them over."""

from collections.abc import Sequence
from enum import Enum, auto
from itertools import pairwise
from typing import NamedTuple

from kvviz.sizing.blocks import blocks_for
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.ring import EMPTY, ring_positions
from kvviz.trace.config import RunConfig


class KeyOrder(Enum):
    """As in the text, padding first; as a ring's slots lie; or in whole blocks, short rows too."""

    TEXT = auto()
    RING = auto()
    BLOCKS = auto()


class Stretch(NamedTuple):
    """Keys ``first`` to ``end`` that follow each other in the text too, from ``token`` on."""

    first: int
    end: int
    token: int


def key_order(config: RunConfig) -> KeyOrder:
    """Return the order in which a run's cache hands over keys."""
    if config.layout.kind is LayoutKind.SLIDING:
        return KeyOrder.RING
    ragged = config.layout.kind is LayoutKind.PAGED and config.pads
    return KeyOrder.BLOCKS if ragged else KeyOrder.TEXT


def keys_read(config: RunConfig, before: int, after: int) -> int:
    """Return how many keys of each row a step reads that takes it to ``after`` places."""
    layout = config.layout
    match key_order(config):
        case KeyOrder.RING:
            # One query reads the ring in place; several read it as it was, and the new ones after.
            one = after - before == 1
            return layout.held(after) if one else layout.held(before) + after - before
        case KeyOrder.BLOCKS:
            return blocks_for(after, layout.block_size) * layout.block_size
        case KeyOrder.TEXT:
            return after


def stretches(config: RunConfig, pad: int, before: int, after: int) -> list[Stretch]:
    """Return the tokens of a row that begins ``pad`` places late, as the keys of a step lie."""
    layout, new = config.layout, max(0, after - pad)
    match key_order(config):
        case KeyOrder.RING if after - before == 1:
            return _stretches(ring_positions(layout, new, layout.held(after)))
        case KeyOrder.RING:
            ring = ring_positions(layout, max(0, before - pad), layout.held(before))
            fed = range(before - pad, after - pad)
            return _stretches([*ring, *(max(EMPTY, token) for token in fed)])
        case KeyOrder.BLOCKS:
            return [Stretch(0, new, 0)]
        case KeyOrder.TEXT:
            return [Stretch(pad, pad + new, 0)]


def _stretches(tokens: Sequence[int]) -> list[Stretch]:
    breaks = [i for i, (a, b) in enumerate(pairwise(tokens), start=1) if b != a + 1 or a == EMPTY]
    ends = [*breaks, len(tokens)] if tokens else []
    starts = [0, *breaks]
    found = (Stretch(a, b, tokens[a]) for a, b in zip(starts, ends, strict=False))
    return [stretch for stretch in found if stretch.token != EMPTY]
