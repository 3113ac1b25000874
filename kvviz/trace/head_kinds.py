"""What kind of head a head is, by what it was measured to look at."""

from dataclasses import dataclass
from enum import StrEnum

from kvviz.trace.step import Floats


class HeadKind(StrEnum):
    """Where nearly all of a head's weight goes; the names are what a person reads."""

    INDUCTION = "induction"
    PREVIOUS = "previous token"
    SINK = "sink"


THRESHOLDS = {HeadKind.INDUCTION: 0.7, HeadKind.PREVIOUS: 0.6, HeadKind.SINK: 0.3}


@dataclass(frozen=True, slots=True, eq=False)
class HeadScores:
    """Mean weights, [L, H] each, over ``num_tokens`` tokens: a start token and noise, twice.

    ``previous`` is what a token gives to the one before it, ``sink`` to the start token, and
    ``induction``, in the repetition, to the token that followed its first occurrence.
    """

    previous: Floats
    induction: Floats
    sink: Floats
    num_tokens: int

    def of(self, kind: HeadKind) -> Floats:
        """Return the scores of one kind, [L, H]."""
        return {
            HeadKind.INDUCTION: self.induction,
            HeadKind.PREVIOUS: self.previous,
            HeadKind.SINK: self.sink,
        }[kind]

    def score(self, kind: HeadKind, layer: int, head: int) -> float:
        """Return one head's score, 0 to 1."""
        return float(self.of(kind)[layer, head])

    def kind(self, layer: int, head: int) -> HeadKind | None:
        """Return what a head is, the most telling kind first; None where it is nothing of these."""
        passed = (k for k, t in THRESHOLDS.items() if self.score(k, layer, head) >= t)
        return next(passed, None)

    def strongest(self, kind: HeadKind) -> tuple[int, int] | None:
        """Return (layer, head) with the highest score of ``kind``; None where no head passes."""
        scores = self.of(kind)
        layer, head = divmod(int(scores.argmax()), scores.shape[1])
        return (layer, head) if scores[layer, head] >= THRESHOLDS[kind] else None
