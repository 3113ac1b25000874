"""argparse with one sentence for an error, and the values that our options take.

Descriptions of models are imported where a value of theirs is read: --version and --help do
without, and answer at once.
"""

import argparse
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NoReturn, TypeVar

from kvviz.sizing.errors import InputError

if TYPE_CHECKING:
    from kvviz.sizing.dtypes import DType
    from kvviz.sizing.kernel import Kernel
    from kvviz.sizing.layout import CacheLayout
    from kvviz.sizing.shape import Positions

Choice = TypeVar("Choice", bound=StrEnum)
MOST_DIGITS = 18
LONG = re.compile(r"(\S{120})\S+")  # of what was typed a sentence shows the beginning


class Parser(argparse.ArgumentParser):
    """A parser whose errors are InputErrors; long options are never guessed from a part."""

    def __init__(self, command: str, description: str, epilog: str = "") -> None:
        super().__init__(
            prog=f"kvviz {command}".strip(),
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Raise InputError with argparse's reason and where help is."""
        reason = LONG.sub(r"\1...", message.removeprefix("argument ").rstrip("."))
        raise InputError(f"{reason}; see {self.prog} --help.")

    def read(self, argv: Sequence[str]) -> argparse.Namespace:
        """Return the values; raise InputError for those that cannot be used."""
        for argument in argv:
            # Of this argparse makes an empty list, without a look at the option's type.
            if argument.startswith("--") and argument.endswith("=--"):
                self.error(f"{argument.removesuffix('=--')}: '--' is no value")
        return self.parse_args(argv)


def whole(text: str) -> int:
    """Return a whole number that is 0 or more."""
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise argparse.ArgumentTypeError(
            f"must be a whole number of at most {MOST_DIGITS} digits, not {text[:20]!r}"
        )
    return int(text)


def number(text: str) -> float:
    """Return a finite number."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not (text.isascii() and abs(value) < float("inf")):
        raise argparse.ArgumentTypeError(f"must be a number, not {text[:20]!r}")
    return value


def dtype(text: str) -> "DType":
    """Return a dtype by its name or alias."""
    from kvviz.sizing.dtypes import parse_dtype

    try:
        return parse_dtype(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def positions(text: str) -> "Positions":
    """Return how positions are told to random weights; learned ones they cannot have learned."""
    from kvviz.sizing.shape import Positions

    return _one_of((Positions.NONE, Positions.ROPE), text)


def kernel(text: str) -> "Kernel":
    """Return a way to compute attention by its name."""
    from kvviz.sizing.kernel import Kernel

    return _one_of(Kernel, text)


def layout(text: str) -> "CacheLayout":
    """Return a cache layout by its text, in the usual dtypes."""
    from kvviz.sizing.layout_text import parse_layout

    try:
        return parse_layout(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def layouts(text: str) -> "tuple[CacheLayout, ...]":
    """Return cache layouts from a comma list."""
    return tuple(layout(part) for part in text.split(","))


def size(text: str) -> tuple[int, int]:
    """Return (width, height) in pixels from WxH."""
    width, _, height = text.lower().partition("x")
    try:
        found = (whole(width), whole(height))
    except argparse.ArgumentTypeError:
        found = (0, 0)
    if not all(200 <= side <= 8192 for side in found):
        raise argparse.ArgumentTypeError(
            f"must be WIDTHxHEIGHT in pixels, each from 200 to 8192, not {text[:20]!r}"
        )
    return found


def _one_of(choices: Iterable[Choice], text: str) -> Choice:
    found = {str(choice): choice for choice in choices}
    try:
        return found[text.strip().lower()]
    except KeyError:
        raise argparse.ArgumentTypeError(
            f"{text[:20]!r} is not known: choose {', '.join(found)}"
        ) from None
