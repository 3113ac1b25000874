"""One GPU's cache against context length, and where it crosses a budget."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kvviz.session.calculator.model import SizedModel
from kvviz.sizing.answer import ask, memory_budget
from kvviz.sizing.cache_size import ModelRows
from kvviz.sizing.capacity import most_tokens
from kvviz.sizing.config import ModelConfig
from kvviz.sizing.errors import InputError
from kvviz.sizing.policy import MOST_TOKENS, Load
from kvviz.sizing.question import Question

SHORTEST, USUAL_LONGEST = 512, 131_072
STEPS_AN_OCTAVE = 4


@dataclass(frozen=True, slots=True)
class Curve:
    """``num_bytes`` of one GPU at each of ``lengths``; ``crossing`` is the longest that fits.

    ``budget`` is what the model's own weights leave; ``crossing`` is None without one or where it
    is not met, ``note`` why there is none, ``problem`` why there is no curve.
    """

    name: str
    lengths: tuple[int, ...] = ()
    num_bytes: tuple[int, ...] = ()
    crossing: int | None = None
    budget: int | None = None
    note: str = ""
    problem: str = ""


def lengths(longest: int) -> tuple[int, ...]:
    """Return ascending lengths, four to a doubling, to ``longest`` itself."""
    found = [SHORTEST]
    while (step := max(1, found[-1] // STEPS_AN_OCTAVE)) and found[-1] + step < longest:
        found.append(found[-1] + step)
    return (*found, longest)


def longest_length(configs: Sequence[ModelConfig], tokens: int) -> int:
    """Return how far the axis must reach: a power of two that holds what is asked for."""
    known = [config.max_positions or 0 for config in configs]
    wanted = max(tokens, min(USUAL_LONGEST, max(known, default=0)), 32_768)
    return min(MOST_TOKENS, 1 << (wanted - 1).bit_length())


def curve_of(
    name: str, rows: ModelRows, load: Load, at: Sequence[int], budget: int | None
) -> Curve:
    """Return a curve through ``at``; the load says how many sequences there are."""
    values = tuple(rows.gpu_bytes(replace(load, tokens=n)) for n in at)
    crossing = most_tokens(rows, load, budget) if budget else None
    return Curve(name, tuple(at), values, crossing, budget)


def other_curve(model: SizedModel, question: Question, at: Sequence[int]) -> Curve:
    """Return the curve of another model asked the same; its problem where it cannot be."""
    asked = replace(
        question,
        source_tokens=None,
        hardware=None,
        weight_bytes=model.stored and model.stored.every,
        parameters=model.parameters,
    )
    try:
        answer = ask(model.config, replace(asked, memory=None))
    except InputError as error:
        return Curve(model.name, problem=str(error))
    budget, note = _left_for(model, asked)
    curve = curve_of(model.name, answer.size.rows, answer.load, at, budget)
    return replace(curve, note=note)


def _left_for(model: SizedModel, asked: Question) -> tuple[int | None, str]:
    """Return what the model's weights leave of the memory; None where that is not known."""
    if asked.memory is None:
        return None, ""
    try:
        found = memory_budget(model.config, asked)
    except InputError:
        return None, "weights not known"
    left = found.cache if found else 0
    return left, "" if left else "weights too large"
