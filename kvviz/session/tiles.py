"""Exact attention in tiles: never more scores at once than one tile has.

Shapes are of batch row 0: S rows and keys, D head size; float32.
"""

import numpy as np

from kvviz.session.attention import visible
from kvviz.trace.step import Floats
from kvviz.trace.trace import Trace

TILE = 8  # rows and keys of a tile


def tiled_outputs(trace: Trace, layer: int, head: int, upto: int, tile: int = TILE) -> Floats:
    """Return what a head passes on for its first ``upto`` rows, [upto, D], tile by tile.

    For each row a running maximum, a running sum and a running output are kept; when a larger
    score comes, what was added up is scaled down, so the softmax comes out the same.
    """
    shape = trace.config.model.shape
    kv_head = head // shape.group_size
    seen = visible(trace, layer, 0, upto)
    result = np.empty((upto, shape.head_dim), np.float32)
    for first in range(0, upto, tile):
        rows = slice(first, min(first + tile, upto))
        q = trace.queries(layer)[head, rows]
        largest = np.full((len(q), 1), -np.inf, np.float32)
        total = np.zeros((len(q), 1), np.float32)
        output = np.zeros((len(q), shape.head_dim), np.float32)
        for start in range(0, rows.stop, tile):
            keys = slice(start, min(start + tile, rows.stop))
            part = (q @ trace.keys(layer)[kv_head, keys].T) * np.float32(shape.scale)
            if shape.score_cap:
                part = np.float32(shape.score_cap) * np.tanh(part / np.float32(shape.score_cap))
            part[~seen[rows, keys]] = -np.inf
            larger = np.maximum(largest, part.max(axis=1, keepdims=True))
            base = np.where(np.isfinite(larger), larger, np.float32(0))
            kept, weight = np.exp(largest - base), np.exp(part - base)
            total = total * kept + weight.sum(axis=1, keepdims=True)
            output = output * kept + weight @ trace.values(layer)[kv_head, keys]
            largest = larger
        result[rows] = output / total
    return result
