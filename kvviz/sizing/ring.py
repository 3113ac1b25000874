"""Where a sliding cache keeps which token: arithmetic, so nothing need be recorded."""

from kvviz.sizing.layout import CacheLayout

EMPTY = -1


def ring_slot(layout: CacheLayout, position: int) -> int:
    """Return the slot of a token: sinks keep theirs, the others go round behind them."""
    if position < layout.sinks:
        return position
    return layout.sinks + (position - layout.sinks) % layout.window


def ring_positions(layout: CacheLayout, seen: int, slots: int) -> list[int]:
    """Return which of ``seen`` tokens is in each of the first ``slots`` slots, EMPTY for none."""
    sinks, window, last = layout.sinks, layout.window, seen - 1 - layout.sinks
    ring = [
        sinks + last - (last - offset) % window if offset <= last else EMPTY
        for offset in range(max(0, slots - sinks))
    ]
    fixed = [position if position < seen else EMPTY for position in range(min(sinks, slots))]
    return fixed + ring


def ring_slots(layout: CacheLayout, before: int, after: int) -> tuple[list[int], list[int]]:
    """Return the slots that a step from ``before`` to ``after`` tokens writes, each once.

    And for each which of the step's tokens it takes; those that leave the window within the step
    are never written.
    """
    first = max(before, layout.sinks, after - layout.window)
    positions = [*range(before, min(layout.sinks, after)), *range(first, after)]
    return [ring_slot(layout, p) for p in positions], [p - before for p in positions]
