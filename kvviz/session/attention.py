"""Attention recomputed from a trace's Q, K and V: any layer's and head's rows, on demand.

All shapes are of batch row 0: R query rows, S keys, D head size; float32.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kvviz.session.selection import Aggregate, HeadChoice
from kvviz.sizing.layout import LayoutKind
from kvviz.trace.step import Floats
from kvviz.trace.trace import Trace

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CellFacts:
    """One cell of the grid: its scaled score, its weight, and the KV head that was read."""

    score: float
    weight: float
    kv_head: int


def scores(trace: Trace, layer: int, head: int, start: int, stop: int) -> Floats:
    """Return scaled scores of rows ``start``..``stop``, [R, stop]; -inf where masked."""
    shape = trace.config.model.shape
    q = trace.queries(layer)[head, start:stop]
    k = trace.keys(layer)[head // shape.group_size, :stop]
    result: Floats = (q @ k.T) * np.float32(shape.scale)
    if shape.score_cap:
        result = np.float32(shape.score_cap) * np.tanh(result / np.float32(shape.score_cap))
    result[~visible(trace, layer, start, stop)] = -np.inf
    return result


def visible(trace: Trace, layer: int, start: int, stop: int) -> Flags:
    """Return which keys rows ``start``..``stop`` see, bool [R, stop].

    Not what comes later, nor what lies outside the layer's window, nor what a sliding cache has
    let fall out; its sinks are always seen.
    """
    keys = np.arange(stop)[None, :]
    back = np.arange(start, stop)[:, None] - keys  # how far the key lies back
    seen: Flags = back >= 0
    if window := trace.config.model.shape.window(layer):
        seen &= back < window
    layout = trace.config.layout
    if layout.kind is LayoutKind.SLIDING:
        seen &= (back < layout.window) | (keys < layout.sinks)
    return seen


def weights(trace: Trace, layer: int, head: int, start: int, stop: int) -> Floats:
    """Return attention weights of rows ``start``..``stop``, [R, stop]; each row sums to 1."""
    result = scores(trace, layer, head, start, stop)
    result -= result.max(axis=1, keepdims=True)
    np.exp(result, out=result)
    result /= result.sum(axis=1, keepdims=True)
    return result


def chosen_weights(trace: Trace, layer: int, choice: HeadChoice, start: int, stop: int) -> Floats:
    """Return the weights of one head, or the mean or maximum over a layer's heads, [R, stop]."""
    if not isinstance(choice, Aggregate):
        return weights(trace, layer, choice, start, stop)
    total = weights(trace, layer, 0, start, stop)
    num_heads = trace.config.model.shape.num_heads
    for head in range(1, num_heads):
        more = weights(trace, layer, head, start, stop)
        if choice is Aggregate.MEAN:
            total += more
        else:
            np.maximum(total, more, out=total)
    if choice is Aggregate.MEAN:
        total /= num_heads
    return total


def head_outputs(trace: Trace, layer: int, head: int, start: int, stop: int) -> Floats:
    """Return what a head passes on for rows ``start``..``stop``: weights times V, [R, D]."""
    group = trace.config.model.shape.group_size
    values = trace.values(layer)[head // group, :stop]
    result: Floats = weights(trace, layer, head, start, stop) @ values
    return result


def cell_facts(trace: Trace, layer: int, head: int, row: int, key: int) -> CellFacts:
    """Return the figures of one cell; ``key`` must not lie after ``row``."""
    return CellFacts(
        score=float(scores(trace, layer, head, row, row + 1)[0, key]),
        weight=float(weights(trace, layer, head, row, row + 1)[0, key]),
        kv_head=head // trace.config.model.shape.group_size,
    )
