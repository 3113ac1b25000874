"""How one cell of the grid arises: every number from query and key to what the value adds.

Shapes are of batch row 0: D head size, S = query + 1 keys up to and with the query's own.
"""

from dataclasses import dataclass

import numpy as np

from kvviz.session.attention import Flags, scores, weights
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.units import count_text
from kvviz.trace.step import Floats
from kvviz.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Inspection:
    """One cell, recomputed from what the run recorded; arrays are read-only.

    ``q``, ``k`` and ``v`` are [D], ``products`` their q times k element by element, whose sum is
    ``dot``.  ``scaled`` is ``dot * scale``; ``capped`` is that after the score cap (the same where
    ``score_cap`` is 0); ``score`` is what goes into the softmax, -inf where ``masked``.
    ``row_scores`` and ``row_weights`` are [S], ``seen`` says which of these keys the query sees.
    ``contribution`` is [D], weight times v; ``output`` is [D], what the head passes on.
    ``output_gap`` is the largest difference of ``output`` to what the model's head passed on, None
    where that was not recorded.  A run records keys and values as they were first read: ``coded``
    tokens, whole then, were codes at the query's step, and what is recomputed knows no codes.
    """

    layer: int
    head: int
    query: int
    key: int
    kv_head: int
    sharing_heads: tuple[int, ...]
    q: Floats
    k: Floats
    v: Floats
    products: Floats
    dot: float
    scale: float
    scaled: float
    score_cap: float
    capped: float
    window: int
    masked: bool
    score: float
    row_scores: Floats
    row_weights: Floats
    seen: Flags
    weight: float
    contribution: Floats
    output: Floats
    output_gap: float | None
    coded: int

    @property
    def mask_reason(self) -> str:
        """Why the query does not see the key; empty where it does."""
        if not self.masked:
            return ""
        if self.key > self.query:
            return "the key comes later than the query"
        if not self.window:
            return "the key has fallen out of the sliding cache"
        return f"the key lies outside the window of {count_text(self.window, 'token')}"


def inspect_cell(trace: Trace, layer: int, head: int, query: int, key: int) -> Inspection:
    """Return how the cell (query, key) of one head arises.

    A key after its query is masked and weighs nothing.  Raises InputError for a place that is not
    recorded.
    """
    shape = trace.config.model.shape
    _check_place(trace, layer, head, query, key)
    kv_head = head // shape.group_size
    q = _fixed(trace.queries(layer)[head, query])
    k, v = _fixed(trace.keys(layer)[kv_head, key]), _fixed(trace.values(layer)[kv_head, key])
    row_scores = _fixed(scores(trace, layer, head, query, query + 1)[0])
    row_weights = _fixed(weights(trace, layer, head, query, query + 1)[0])
    within = key <= query
    score = float(row_scores[key]) if within else -np.inf
    weight = float(row_weights[key]) if within else 0.0
    output = row_weights @ trace.values(layer)[kv_head, : query + 1]
    gap = float(np.abs(output - trace.outputs(layer)[head, query]).max())
    products = q * k
    dot = float(q @ k)
    scaled = dot * shape.scale
    cap = shape.score_cap
    return Inspection(
        layer=layer,
        head=head,
        query=query,
        key=key,
        kv_head=kv_head,
        sharing_heads=tuple(range(kv_head * shape.group_size, (kv_head + 1) * shape.group_size)),
        q=q,
        k=k,
        v=v,
        products=_fixed(products),
        dot=dot,
        scale=shape.scale,
        scaled=scaled,
        score_cap=cap,
        capped=float(cap * np.tanh(scaled / cap)) if cap else scaled,
        window=shape.window(layer),
        masked=not np.isfinite(score),
        score=score,
        row_scores=row_scores,
        row_weights=row_weights,
        seen=_flags(row_scores),
        weight=weight,
        contribution=_fixed(v * np.float32(weight)),
        output=_fixed(output),
        output_gap=None if np.isnan(gap) else gap,
        coded=_coded(trace, query),
    )


def _coded(trace: Trace, query: int) -> int:
    """Return how many tokens were first read whole and had become codes when the query was."""
    residual = trace.config.layout.residual
    if trace.config.layout.kind is not LayoutKind.QUANTIZED or not residual:
        return 0
    index = int(trace.row_steps()[query])
    codes = trace.steps[index].seq_len - residual
    return sum(
        max(0, min(step.seq_len, codes) - max(step.first_row, step.seq_len - residual))
        for step in trace.steps[:index]
    )


def _check_place(trace: Trace, layer: int, head: int, query: int, key: int) -> None:
    shape = trace.config.model.shape
    limits = {
        "Layer": (layer, shape.num_layers),
        "Head": (head, shape.num_heads),
        "Row": (query, trace.seq_len),
        "Key": (key, trace.seq_len),
    }
    for name, (place, count) in limits.items():
        if not 0 <= place < count:
            raise InputError(f"{name} {place:,} is not in this run: it has {count:,} of them.")


def _fixed(array: Floats) -> Floats:
    copied = np.array(array, np.float32)
    copied.flags.writeable = False
    return copied


def _flags(row_scores: Floats) -> Flags:
    seen: Flags = np.isfinite(row_scores)
    seen.flags.writeable = False
    return seen
