"""How fast each pair of a head's elements turns, with every scaling.  No torch."""

import math

from kvviz.model.architecture import Rotation, Scaling


def frequencies(rope: Rotation, width: int, length: int) -> tuple[float, ...]:
    """Return radians per position of the pairs of ``width`` elements, the fastest pair first.

    ``length`` is the tokens of the sequence, which only the dynamic scaling asks for.
    """
    theta = rope.theta
    if rope.scaling is Scaling.DYNAMIC:
        theta = _stretched_theta(rope, width, length)
    plain = [theta ** (-pair / width) for pair in range(0, width, 2)]
    match rope.scaling:
        case Scaling.LINEAR:
            return tuple(frequency / rope.factor for frequency in plain)
        case Scaling.LLAMA3:
            return tuple(_llama3(rope, frequency) for frequency in plain)
        case Scaling.YARN:
            return _yarn(rope, width, plain)
        case _:
            return tuple(plain)


def yarn_magnitude(factor: float, slope: float = 1.0) -> float:
    """Return by how much yarn lengthens what it turns."""
    return 0.1 * slope * math.log(factor) + 1.0 if factor > 1 else 1.0


def _stretched_theta(rope: Rotation, width: int, length: int) -> float:
    stretch = rope.factor * max(length, rope.original) / rope.original - (rope.factor - 1)
    return float(rope.theta * stretch ** (width / (width - 2)))


def _llama3(rope: Rotation, frequency: float) -> float:
    """Leave what turns often within the original length, slow what does not, blend between."""
    turns = rope.original * frequency / (2 * math.pi)
    if turns > rope.high_frequency:
        return frequency
    if turns < rope.low_frequency:
        return frequency / rope.factor
    kept = (turns - rope.low_frequency) / (rope.high_frequency - rope.low_frequency)
    return (1 - kept) * frequency / rope.factor + kept * frequency


def _yarn(rope: Rotation, width: int, plain: list[float]) -> tuple[float, ...]:
    """Leave pairs before ``low``, slow those behind ``high``, blend between."""
    low, high = (_pair_turning(rope, width, turns) for turns in (rope.beta_fast, rope.beta_slow))
    if rope.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, width - 1)
    span = high - low or 0.001
    slowed = [min(max((pair - low) / span, 0.0), 1.0) for pair in range(len(plain))]
    return tuple(
        frequency * (1 - share) + frequency / rope.factor * share
        for frequency, share in zip(plain, slowed, strict=True)
    )


def _pair_turning(rope: Rotation, width: int, turns: float) -> float:
    """Return which pair, as a fraction, turns that often within the original length."""
    return width * math.log(rope.original / (turns * 2 * math.pi)) / (2 * math.log(rope.theta))
