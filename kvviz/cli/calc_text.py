"""An answer of the calculator as a person reads it on a terminal."""

import io
import sys

from rich.console import Console
from rich.text import Text

from kvviz.sizing.answer import Answer
from kvviz.sizing.answer_words import Line, answer_lines, title

QUIET, HEADING = "dim", "bold"


def print_answer(answer: Answer, name: str) -> None:
    """Print the total, the figures, the formula, and what was assumed."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a pipe may take less than Unicode
    console = Console(file=sys.stdout, highlight=False, soft_wrap=True)
    console.print(Text(title(answer, name), style=HEADING))
    console.print()
    _print_figures(console, answer_lines(answer))
    _print_lines(console, "formula", answer.formula)
    _print_lines(console, "assumed", answer.assumptions)
    _print_lines(console, "note", answer.warnings)


def _print_figures(console: Console, lines: list[Line]) -> None:
    width = max(len(line.name) for line in lines)
    for n, (name, value) in enumerate(lines):
        console.print(Text(f"{name:<{width}}  {value}", style=HEADING if n == 0 else ""))


def _print_lines(console: Console, heading: str, lines: tuple[str, ...]) -> None:
    if not lines:
        return
    console.print()
    console.print(Text(heading, style=QUIET))
    for line in lines:
        console.print(Text(f"  {line}", style="" if heading == "formula" else QUIET))
