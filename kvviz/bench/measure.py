"""What a figure's process measured, and how it tells."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Measure:
    """A value and what it is held against, both in the goal's unit; ``reason`` where one lacks."""

    value: float | None = None
    baseline: float | None = None
    ratio: float | None = None
    reason: str = ""
    failed: bool = False


def failure(reason: str) -> Measure:
    """Return what is said of a figure that should have been measured and was not."""
    return Measure(reason=reason, failed=True)


def hand_in(measures: Mapping[str, Measure]) -> None:
    """Write measures, by the key of their goal, for the process that started this one."""
    sys.stdout.write(json.dumps({key: asdict(measure) for key, measure in measures.items()}))


def interleaved(ours: Callable[[], float], theirs: Callable[[], float], rounds: int) -> Measure:
    """Compare two speeds (higher is better) in rounds that take turns at going first.

    The machine may be busy with other things: what slows one half of a round slows the other, so
    the ratio is the median of the rounds' ratios.
    """
    pairs = []
    for index in range(rounds):
        if index % 2:
            first = theirs()
            pairs.append((ours(), first))
        else:
            first = ours()
            pairs.append((first, theirs()))
    return Measure(
        median(pair[0] for pair in pairs),
        median(pair[1] for pair in pairs),
        median(pair[0] / pair[1] for pair in pairs),
    )
