"""Which figures stand in one column of the comparison's table, and what is said of them."""

from dataclasses import dataclass

from kvviz.session.comparison_table import COLUMNS, Column, ComparedRow, ComparisonTable, Unit
from kvviz.session.comparison_text import cell_text, difference_words, table_unit
from kvviz.session.runs import RunState
from kvviz.sizing.units import count_text
from kvviz.ui.panels.run_words import state_words

BY_KEY = {column.key: column for column in COLUMNS}
BEST = "The best of its column."


@dataclass(frozen=True, slots=True)
class Pair:
    """One column on screen: a figure, and a lesser one below it; both by their keys."""

    first: str
    second: str | None
    heads: tuple[str, str]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys it shows."""
        return (self.first,) if self.second is None else (self.first, self.second)


PAIRS = (
    Pair("same_tokens", "max_logit_gap", ("tokens", "logit gap")),
    Pair("ttft_ns", None, ("TTFT", "")),
    Pair("itl_p50_ns", "itl_p95_ns", ("ITL p50", "p95")),
    Pair("bytes_used", None, ("used", "")),
    Pair("bytes_reserved", "bytes_slack", ("reserved", "wasted")),
    Pair("bytes_peak", None, ("peak", "")),
    Pair("bytes_copied_all", "bytes_copied_last", ("copied, all", "last step")),
)


@dataclass(frozen=True, slots=True)
class Group:
    """Columns of one unit, ``start`` to ``stop``, and the words above them."""

    start: int
    stop: int
    text: str


def groups(table: ComparisonTable) -> tuple[Group, ...]:
    """Return what stands above the columns: what they are about, and their unit."""
    return (
        Group(0, 1, "against the first row"),
        Group(1, 3, "time, ms"),
        Group(3, len(PAIRS), f"cache, {table_unit(table)[1]}"),
    )


def pair_texts(table: ComparisonTable, place: int, pair: Pair) -> tuple[str, str]:
    """Return what a row says in a column, above and below."""
    row = table.rows[place]
    first = cell_text(table, row, BY_KEY[pair.first])
    if pair.second is None:
        return first, ""
    second = cell_text(table, row, BY_KEY[pair.second])
    if pair.first == "same_tokens" and row.proof is not None:
        return ("✓ same" if row.proof.first_difference is None else first), second
    return first, "" if row.is_reference and pair.first == "same_tokens" else second


def head_tooltip(pair: Pair) -> str:
    """Say what a column shows."""
    lines = [f"{_name(BY_KEY[key])}: {BY_KEY[key].meaning}" for key in pair.keys]
    return "\n".join([*lines, "Measured."])


def cell_tooltip(table: ComparisonTable, place: int, pair: Pair) -> str:
    """Say a cell's figures to the last byte and nanosecond."""
    row = table.rows[place]
    if pair.first == "same_tokens":
        return difference_words(table.rows[0].run, row)
    lines = []
    for key in pair.keys:
        figure, column = row.figures[key], BY_KEY[key]
        if figure is not None:
            best = f" {BEST}" if (place, key) in table.best else ""
            lines.append(f"{_name(column)}: {_exact(column, figure)}.{best}")
    return "\n".join(lines) or row_state(row)


def row_state(row: ComparedRow) -> str:
    """Say how far a run of the comparison is; empty once it has its figures."""
    if row.run.state is RunState.WAITING:
        return "waits for its turn"
    if row.run.state is RunState.CANCELLED and not len(row.run.trace):
        return "not run: stopped"
    return state_words(row.run)


def agreement(table: ComparisonTable) -> tuple[bool, str] | None:
    """Return whether formula and tensors are equal in all that ended, and that in words."""
    if table.agrees is None:
        return None
    ended = [row for row in table.rows if row.ended]
    steps = sum(len(row.run.trace) for row in ended)
    if table.agrees:
        return True, f"✓ formula = tensors, at each of {count_text(steps, 'step')}"
    wrong = [n for n, row in enumerate(ended, 1) if not row.figures["formula_equals_tensors"]]
    return False, f"✗ formula and tensors differ in row {', '.join(map(str, wrong))}"


def _name(column: Column) -> str:
    return column.title[:1].upper() + column.title[1:]


def _exact(column: Column, figure: float) -> str:
    return count_text(int(figure), "byte") if column.unit is Unit.BYTES else f"{figure:,.0f} ns"
