"""How one cell of the grid arises: every number from query and key to what the value adds.

Shapes are of batch row 0: D head size, S = query + 1 keys up to and with the query's own.
"""

from dataclasses import dataclass

import numpy as np

from kvviz.session.attention import head_outputs, scores, weights
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.shape import ModelShape
from kvviz.sizing.units import count_text
from kvviz.trace.step import Floats
from kvviz.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Inspection:
    """One cell, recomputed from what the run recorded; arrays are float32 and read-only.

    ``q``, ``k`` and ``v`` are [D]; ``row_scores`` [S] is what goes into the softmax, -inf where the
    query does not see the key, ``row_weights`` [S] what comes out.  ``output`` is [D], what the
    head passes on; ``output_gap`` is its largest difference to what the model's head passed on,
    None where that was not recorded.  A run records keys and values as they were first read:
    ``coded`` tokens, whole then, were codes at the query's step, and what is recomputed knows no
    codes.
    """

    shape: ModelShape
    layer: int
    head: int
    query: int
    key: int
    q: Floats
    k: Floats
    v: Floats
    row_scores: Floats
    row_weights: Floats
    output: Floats
    output_gap: float | None
    coded: int

    @property
    def kv_head(self) -> int:
        """The KV head that the query head reads."""
        return self.head // self.shape.group_size

    @property
    def sharing_heads(self) -> tuple[int, ...]:
        """All query heads that read it."""
        first = self.kv_head * self.shape.group_size
        return tuple(range(first, first + self.shape.group_size))

    @property
    def products(self) -> Floats:
        """Query times key, element by element, [D]; their sum is ``dot``."""
        return self.q * self.k

    @property
    def dot(self) -> float:
        """The score before it is scaled."""
        return float(self.q @ self.k)

    @property
    def scaled(self) -> float:
        """The score before it is capped."""
        return self.dot * self.shape.scale

    @property
    def capped(self) -> float:
        """The score of a key that is seen; without a cap as it was."""
        cap = self.shape.score_cap
        return float(cap * np.tanh(self.scaled / cap)) if cap else self.scaled

    @property
    def seen(self) -> int:
        """How many keys the query sees."""
        return int(np.isfinite(self.row_scores).sum())

    @property
    def masked(self) -> bool:
        """Whether the query does not see the key."""
        return self.key > self.query or not np.isfinite(self.row_scores[self.key])

    @property
    def weight(self) -> float:
        """What the softmax gives the key: its part of 1."""
        return 0.0 if self.masked else float(self.row_weights[self.key])

    @property
    def contribution(self) -> Floats:
        """What the key adds to the output, [D]: weight times v."""
        return self.v * np.float32(self.weight)

    @property
    def mask_reason(self) -> str:
        """Why the query does not see the key; empty where it does."""
        if not self.masked:
            return ""
        if self.key > self.query:
            return "the key comes later than the query"
        window = self.shape.window(self.layer)
        if not window:
            return "the key has fallen out of the sliding cache"
        return f"the key lies outside the window of {count_text(window, 'token')}"


def inspect_cell(trace: Trace, layer: int, head: int, query: int, key: int) -> Inspection:
    """Return how the cell (query, key) of one head arises.

    A key after its query is masked and weighs nothing.  Raises InputError for a place that is not
    recorded.
    """
    shape = trace.config.model.shape
    _check_place(trace, layer, head, query, key)
    kv_head, row = head // shape.group_size, (trace, layer, head, query, query + 1)
    output = head_outputs(*row)[0]
    gap = float(np.abs(output - trace.outputs(layer)[head, query]).max())
    return Inspection(
        shape=shape,
        layer=layer,
        head=head,
        query=query,
        key=key,
        q=_fixed(trace.queries(layer)[head, query]),
        k=_fixed(trace.keys(layer)[kv_head, key]),
        v=_fixed(trace.values(layer)[kv_head, key]),
        row_scores=_fixed(scores(*row)[0]),
        row_weights=_fixed(weights(*row)[0]),
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
