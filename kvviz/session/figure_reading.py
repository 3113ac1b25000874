"""Ways to read a figure off a moment; each gives None where it is not there yet."""

from collections.abc import Callable, Mapping

from kvviz.session.moment import Moment
from kvviz.trace.comparison import Comparison, compare
from kvviz.trace.trace import Trace

Value = int | float | str | None
Read = Callable[[Moment], Value]
Group = Mapping[str, Mapping[str, Read]]


def of_step(field: str) -> Read:
    """Read a field of the step at the cursor."""
    return lambda m: getattr(m.step, field) if m.step else None


def of_bytes(side: str, field: str) -> Read:
    """Read a field of its measured or predicted bytes."""
    return lambda m: getattr(getattr(m.step, side), field) if m.step else None


def of_cell(field: str) -> Read:
    """Read a field of the cell cursor's facts."""
    return lambda m: getattr(m.cell, field) if m.cell else None


def of_shape(field: str) -> Read:
    """Read a field of the model's shape."""
    return lambda m: getattr(m.trace.config.model.shape, field)


def of_config(field: str) -> Read:
    """Read a field of the run's config."""
    return lambda m: getattr(m.trace.config, field)


def of_run(read: Callable[[Trace], Value]) -> Read:
    """Read the whole run."""
    return lambda m: read(m.trace) if len(m.trace) else None


def of_reference(read: Callable[[Trace], Value]) -> Read:
    """Read the whole reference run."""
    return lambda m: read(m.reference) if m.reference is not None and len(m.reference) else None


def of_comparison(read: Callable[[Comparison], Value]) -> Read:
    """Read what comparing the run with its reference found."""

    def value(m: Moment) -> Value:
        if m.reference is None or not len(m.reference) or not len(m.trace):
            return None
        return read(compare(m.reference, m.trace))

    return value


def ratio(above: Read, below: Read) -> Read:
    """Divide one figure by another."""

    def value(m: Moment) -> Value:
        first, second = above(m), below(m)
        if not isinstance(first, int | float) or not isinstance(second, int | float) or not second:
            return None
        return first / second

    return value
