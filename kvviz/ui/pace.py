"""The paces a slider offers: steps a second, ever further apart, then no limit."""

PACES = (1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200)
UNLIMITED = len(PACES)  # the position behind the last: as fast as the machine goes


def pace_text(pace: float | None) -> str:
    """Return what a pace is called."""
    if pace is None:
        return "as fast as it goes"
    return f"{pace:g} step{'' if pace == 1 else 's'}/s"


def pace_position(pace: float | None) -> int:
    """Return the slider's position nearest to a pace; the last is without limit."""
    if pace is None:
        return UNLIMITED
    return min(range(len(PACES)), key=lambda place: abs(PACES[place] - pace))


def pace_at(position: int) -> float | None:
    """Return the pace at a position of the slider."""
    return float(PACES[position]) if position < UNLIMITED else None
