"""The one error a person reads."""


class InputError(ValueError):
    """Input that cannot be used; its text is one sentence: what, why, what to do."""
