"""Values of a logarithmic slider."""


def log_steps(highest: int) -> tuple[int, ...]:
    """Return 1, 2, 3 ... 8, then eight equal steps to each doubling, up to ``highest``."""
    steps = list(range(1, 9))
    while steps[-1] < highest:
        start = steps[-1]
        steps += [start + start * n // 8 for n in range(1, 9)]
    return tuple(step for step in steps if step <= highest)
