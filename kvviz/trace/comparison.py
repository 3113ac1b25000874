"""Whether two runs said the same."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from kvviz.trace.step import Floats
from kvviz.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run against the reference run.

    ``first_difference`` is an index into the generated tokens, None where they are the same; a
    run that is shorter differs where it ends.  ``max_logit_gap`` is the largest absolute
    difference of logits up to and including the first differing token, None where there are no
    logits to compare or they are not finite.
    """

    same_tokens: bool
    first_difference: int | None
    max_logit_gap: float | None


def compare(reference: Trace, other: Trace) -> Comparison:
    """Compare the tokens and logits of two runs of the same prompt."""
    difference = _first_difference(reference.generated_ids, other.generated_ids)
    # Past the first differing token the two read different text, so their logits say nothing.
    end = None if difference is None else difference + 1
    pairs = zip(_choices(reference)[:end], _choices(other)[:end], strict=False)
    return Comparison(difference is None, difference, _largest_gap(pairs))


def _first_difference(reference: list[int], other: list[int]) -> int | None:
    pairs = enumerate(zip_longest(reference, other))
    return next((index for index, (ours, theirs) in pairs if ours != theirs), None)


def _choices(trace: Trace) -> list[Floats | None]:
    return [trace.logits(step.index) for step in trace.steps if step.token_id is not None]


def _largest_gap(pairs: Iterable[tuple[Floats | None, Floats | None]]) -> float | None:
    gaps = [
        float(np.abs(ours.astype(np.float64) - theirs).max())
        for ours, theirs in pairs
        if ours is not None and theirs is not None and ours.shape == theirs.shape
    ]
    return max(gaps) if gaps and all(map(math.isfinite, gaps)) else None
