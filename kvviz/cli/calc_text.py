"""An answer of the calculator as a person reads it on a terminal."""

import io
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kvviz.sizing.answer import Answer
from kvviz.sizing.answer_words import answer_lines, title

QUIET, HEADING = "dim", "bold"


def print_answer(answer: Answer, name: str) -> None:
    """Print the total, the figures, the formula, and what was assumed."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a pipe may take less than Unicode
    console = Console(file=sys.stdout, highlight=False, soft_wrap=True)
    console.print(Text(title(answer, name), style=HEADING))
    console.print()
    console.print(_figures(answer))
    _print_lines(console, "formula", answer.formula)
    _print_lines(console, "assumed", answer.assumptions)
    _print_lines(console, "note", answer.warnings)


def _figures(answer: Answer) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    for n, (name, value) in enumerate(answer_lines(answer)):
        table.add_row(name, value, style=HEADING if n == 0 else "")
    return table


def _print_lines(console: Console, heading: str, lines: tuple[str, ...]) -> None:
    if not lines:
        return
    console.print()
    console.print(Text(heading, style=QUIET))
    for line in lines:
        console.print(Text(f"  {line}", style="" if heading == "formula" else QUIET))
