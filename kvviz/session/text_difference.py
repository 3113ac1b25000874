"""Where a run's text leaves the reference's, in a few words of both."""

from dataclasses import dataclass

from kvviz.session.comparison_table import ComparedRow
from kvviz.session.runs import Run

BEFORE, AFTER = 5, 7  # tokens shown on both sides of the first that differs


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Pieces of text: what both say last, what each says there, and how each goes on.

    ``place`` counts chosen tokens from 1; a side that had ended has no ``own`` or ``theirs``.
    """

    place: int
    shared: tuple[str, ...]
    own: str | None
    own_after: tuple[str, ...]
    theirs: str | None
    theirs_after: tuple[str, ...]


def text_difference(reference: Run, row: ComparedRow) -> TextDifference | None:
    """Return where a row's text leaves the reference's; None where it never does."""
    first = row.proof.first_difference if row.proof else None
    if first is None:
        return None
    own, theirs = row.run.trace.generated_pieces, reference.trace.generated_pieces
    after = slice(first + 1, first + 1 + AFTER)
    return TextDifference(
        first + 1,
        tuple(theirs[max(0, first - BEFORE) : first]),
        own[first] if first < len(own) else None,
        tuple(own[after]),
        theirs[first] if first < len(theirs) else None,
        tuple(theirs[after]),
    )
