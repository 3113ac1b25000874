"""A largest difference as it is read."""

from decimal import ROUND_CEILING, Context


def gap_text(gap: float, digits: int = 1) -> str:
    """Write a gap with so many digits, rounded up: what differs by it differs by at most that."""
    if not gap:
        return "0"
    above = Context(digits, ROUND_CEILING).create_decimal(repr(gap))
    return f"{float(above):.{digits}g}".replace("e-0", "e-")
