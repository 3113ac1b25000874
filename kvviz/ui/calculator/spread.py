"""Names beside the ends of lines, moved apart where the lines end close to each other."""

from collections.abc import Sequence
from itertools import pairwise


def spread(places: Sequence[float], apart: float, low: float, high: float) -> list[float]:
    """Return a place near each of ``places``, at least ``apart`` from the others if there is room.

    Their order stays; all lie between ``low`` and ``high`` where they can.
    """
    order = sorted(range(len(places)), key=lambda n: places[n])
    moved = [float(place) for place in places]
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + apart)
    over = max(0.0, moved[order[-1]] - high) if order else 0.0
    if over:
        moved[order[-1]] -= over
        for after, before in pairwise(reversed(order)):
            moved[before] = min(moved[before], moved[after] - apart)
    return [max(place, low) for place in moved]
