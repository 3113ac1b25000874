"""Text with figures in braces: ``{bytes_used}``, ``{bytes_used * 2}``."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from kvviz.session.figure_reading import Value
from kvviz.session.figures import FIGURES, Figure, Unit
from kvviz.session.moment import Moment

BRACES = re.compile(r"\{([^{}]*)\}")
REFERENCE = re.compile(r"([a-z][a-z_0-9]*)(?:\s*([*/+-])\s*([0-9]+))?")
NUMBERS = (
    *(Unit.COUNT, Unit.BYTES, Unit.EXACT_BYTES, Unit.NS),
    *(Unit.RATIO, Unit.NUMBER, Unit.PROBABILITY),
)


@dataclass(frozen=True, slots=True)
class FigureReference:
    """A figure, or a multiple, part, sum or difference of it with a whole number."""

    figure: Figure
    operator: str = ""
    operand: int = 0

    def value(self, moment: Moment) -> Value:
        """Read it off a moment; None where it is not there yet."""
        value = self.figure.read(moment)
        if not self.operator or not isinstance(value, int | float):
            return value
        match self.operator:
            case "*":
                return value * self.operand
            case "/":
                exact = isinstance(value, int) and value % self.operand == 0
                return value // self.operand if exact else value / self.operand
            case "+":
                return value + self.operand
            case _:
                return value - self.operand

    def text(self, moment: Moment) -> str:
        """Write it as it stands at a moment."""
        return self.figure.text(self.value(moment))


def parse_reference(text: str) -> FigureReference:
    """Return what ``text`` means; raise ValueError, saying what is wrong, where that is nothing."""
    found = REFERENCE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is no figure: write a name, or a name * 2")
    name, operator, operand = found.groups()
    figure = FIGURES.get(name)
    if figure is None:
        raise ValueError(f"there is no figure {name!r}: the list is in session/*_figures.py")
    if operator is None:
        return FigureReference(figure)
    if figure.unit not in NUMBERS:
        raise ValueError(f"{name!r} is no number: it cannot be counted with")
    if operator == "/" and not int(operand):
        raise ValueError("nothing can be divided by 0")
    return FigureReference(figure, operator, int(operand))


def references(text: str) -> list[FigureReference]:
    """Return the figures of a text in order; raise ValueError where one does not exist."""
    return [parse_reference(match) for match in BRACES.findall(text)]


def fill(
    text: str,
    moment: Moment,
    dress: Callable[[FigureReference, str], str] = lambda _reference, written: written,
) -> str:
    """Return a text with its figures put in, each passed through ``dress``."""

    def put_in(match: re.Match[str]) -> str:
        reference = parse_reference(match[1])
        return dress(reference, reference.text(moment))

    return BRACES.sub(put_in, text)


def missing(text: str, moment: Moment) -> list[str]:
    """Return the names of a text's figures that the moment does not have."""
    return [r.figure.name for r in references(text) if r.value(moment) is None]
