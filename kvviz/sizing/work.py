"""Exact counts of work: token positions and causal score cells.

Cells are per layer, per query head and per sequence; multiply for totals.
"""


def score_cells(before: int, fed: int, most: int = 0) -> int:
    """Query-key scores that ``fed`` new rows need on top of ``before`` cached keys.

    Row i sees the keys before it and itself, before + 1 ... before + fed, but never more than
    ``most`` of them where a cache holds no more; 0 is no limit.
    """
    cells = fed * before + fed * (fed + 1) // 2
    if not most:
        return cells
    return cells - _triangle(before + fed - most) + _triangle(before - most)


def naive_token_positions(prompt: int, generated: int) -> int:
    """Positions fed without a cache: the full prefix for each generated token."""
    return generated * prompt + generated * (generated - 1) // 2


def naive_score_cells(prompt: int, generated: int) -> int:
    """Score cells without a cache: sum of n(n+1)/2 for n = prompt ... prompt+generated-1."""
    return _tetrahedral(prompt + generated - 1) - _tetrahedral(prompt - 1)


def _triangle(n: int) -> int:
    return n * (n + 1) // 2 if n > 0 else 0


def _tetrahedral(n: int) -> int:
    return n * (n + 1) * (n + 2) // 6
