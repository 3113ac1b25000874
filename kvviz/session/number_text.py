"""A small number, such as a weight or a score, as it is read."""


def number_text(value: float) -> str:
    """Write two digits behind the point, or the first that matters of what would be 0.00."""
    if value == 0 or abs(value) >= 0.005:
        return f"{value:.2f}"
    return f"{value:.0e}".replace("e-0", "e-")
