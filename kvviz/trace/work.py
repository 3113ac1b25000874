"""What a run's work adds up to, beside what it would be without a cache."""

from dataclasses import dataclass

from kvviz.sizing.work import score_cells
from kvviz.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the steps of one run, exact integers.

    Counts are per layer, per query head and per sequence; ``multiplier`` (layers x query heads x
    batch) is what they are multiplied by for all of them.  The naive ones feed the full prefix for
    each token chosen.
    """

    token_positions: int
    score_cells: int
    naive_token_positions: int
    naive_score_cells: int
    multiplier: int


def totals(trace: Trace) -> Totals:
    """Add up a run; a second prefill, and a run that stopped early, count as they happened."""
    prefixes = [step.seq_len for step in trace.steps if step.token_id is not None]
    return Totals(
        token_positions=sum(step.token_positions for step in trace.steps),
        score_cells=sum(step.score_cells for step in trace.steps),
        naive_token_positions=sum(prefixes),
        naive_score_cells=sum(score_cells(0, prefix) for prefix in prefixes),
        multiplier=trace.config.work_multiplier,
    )
