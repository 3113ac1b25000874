"""What a step's text takes for granted, written so that a run can be asked: ``a = b``."""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from kvviz.lessons.template import FigureReference, parse_reference
from kvviz.session.figure_reading import Value
from kvviz.session.figures import FIGURES, Unit
from kvviz.session.moment import Moment

SIGNS: dict[str, Callable[..., bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
CLAIM = re.compile(r"(.+?)\s*(<=|>=|!=|<|>|=)\s*(.+)")
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?(e-?[0-9]+)?")
ANSWERS = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Claim:
    """Two sides and the sign between them; ``text`` is how it was written."""

    text: str
    left: FigureReference
    sign: str
    right: "FigureReference | float | bool"

    def problem(self, moment: Moment) -> str:
        """Return why it does not hold at a moment; empty where it does."""
        left = self.left.value(moment)
        right: Value
        right = self.right.value(moment) if isinstance(self.right, FigureReference) else self.right
        if left is None or right is None:
            return f"{self.text!r} cannot be told: a figure is missing"
        if SIGNS[self.sign](left, right):
            return ""
        return f"{self.text!r} does not hold: {left} and {right}"


def parse_claim(text: str) -> Claim:
    """Return the claim that is written; raise ValueError where it is none."""
    found = CLAIM.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is no claim: write two figures with =, <, > between them")
    left, sign, right = found.groups()
    return Claim(text, parse_reference(left), sign, _right_side(right, parse_reference(left)))


def _right_side(text: str, left: FigureReference) -> FigureReference | float | bool:
    if NUMBER.fullmatch(text):
        return float(text)
    if left.figure.unit is Unit.YES_NO and text in ANSWERS:
        return ANSWERS[text]
    right = parse_reference(text)
    if (left.figure.unit is Unit.TEXT) != (FIGURES[right.figure.name].unit is Unit.TEXT):
        raise ValueError(f"{left.figure.name!r} and {text!r} are not alike")
    return right
