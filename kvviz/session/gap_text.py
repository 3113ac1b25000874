"""A largest difference as it is read."""

from decimal import ROUND_CEILING, Context


def gap_text(gap: float) -> str:
    """Write a gap with one digit, rounded up: what differs by it differs by at most that."""
    if not gap:
        return "0"
    above = Context(1, ROUND_CEILING).create_decimal(repr(gap))
    return f"{float(above):.1g}".replace("e-0", "e-")
