"""The one error a person reads, and what most often raises it."""


class InputError(ValueError):
    """Input that cannot be used; its text is one sentence: what, why, what to do."""


def within(name: str, value: int, low: int, high: int) -> None:
    """Raise InputError unless ``value`` is between ``low`` and ``high``."""
    if not low <= value <= high:
        raise InputError(f"{name} must be between {low:,} and {high:,}, not {value:,}.")
