"""A token's probability as it is read."""


def probability_text(value: float) -> str:
    """Write a probability with two digits behind the point, with three below a tenth."""
    if value < 0.0005:
        return "<0.001"  # a token that is shown was never impossible
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"
