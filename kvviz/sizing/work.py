"""Exact counts of work: token positions and causal score cells.

Cells are per layer, per query head and per sequence; multiply for totals.
"""


def score_cells(before: int, fed: int) -> int:
    """Query-key scores that ``fed`` new rows need on top of ``before`` cached keys.

    Row i sees the keys before it and itself: before + 1 ... before + fed.
    """
    return fed * before + fed * (fed + 1) // 2


def naive_token_positions(prompt: int, generated: int) -> int:
    """Positions fed without a cache: the full prefix for each generated token."""
    return generated * prompt + generated * (generated - 1) // 2


def naive_score_cells(prompt: int, generated: int) -> int:
    """Score cells without a cache: sum of n(n+1)/2 for n = prompt ... prompt+generated-1."""
    return _tetrahedral(prompt + generated - 1) - _tetrahedral(prompt - 1)


def _tetrahedral(n: int) -> int:
    return n * (n + 1) * (n + 2) // 6
