"""The table of a comparison as text: for a person, a Markdown page, a spreadsheet."""

import csv
import io
from collections.abc import Sequence

from kvviz.session.comparison_table import COLUMNS, Column, ComparedRow, ComparisonTable, Unit
from kvviz.session.gap_text import gap_text
from kvviz.session.runs import Run
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.layout_text import layout_text
from kvviz.sizing.units import NO_FIGURE, byte_unit, count_text, ms_text, three_figures


def table_unit(table: ComparisonTable) -> tuple[int, str]:
    """Return the (size, name) of the one unit all bytes of a table are written in."""
    return byte_unit(table.most_held)


def unit_text(column: Column, table: ComparisonTable) -> str:
    """Return what stands below a column's name."""
    match column.unit:
        case Unit.TIME:
            return "ms"
        case Unit.BYTES:
            return table_unit(table)[1]
        case Unit.TOKENS:
            return "same?"
        case Unit.GAP:
            return "max abs"
        case Unit.CHECK:
            return "= tensors"


def cell_text(table: ComparisonTable, row: ComparedRow, column: Column) -> str:
    """Return a figure as it is read, in the unit of its column."""
    figure = row.figures[column.key]
    if column.unit is Unit.TOKENS:
        return _tokens_text(row)
    if figure is None:
        return NO_FIGURE
    match column.unit:
        case Unit.CHECK:
            return "✓" if figure else "✗"
        case Unit.GAP:
            return gap_text(figure)
        case Unit.TIME:
            return ms_text(figure).removesuffix(" ms")
        case _:
            return three_figures(int(figure), table_unit(table)[0])


def layout_words(run: Run) -> str:
    """Say what a layout's numbers are, and what it stores."""
    layout = run.config.layout
    words = {
        LayoutKind.NONE: "full prefix each step",
        LayoutKind.CONCAT: "grows by copying",
        LayoutKind.PREALLOCATED: f"{count_text(run.config.max_seq_len, 'slot')} at once",
        LayoutKind.PAGED: f"{count_text(layout.block_size, 'token')} a block",
        LayoutKind.SLIDING: f"newest {layout.window:,}"
        + (f" + first {layout.sinks:,}" if layout.sinks else ""),
        LayoutKind.QUANTIZED: f"{layout.bits}-bit codes"
        + (f", {layout.residual:,} plain" if layout.residual else ""),
    }[layout.kind]
    if layout.kind is LayoutKind.NONE or set(layout.dtypes) == {run.config.dtype}:
        return words
    return f"{words} · {_stored(run)}"


def set_names(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return the layouts as one writes them, with what is stored where that tells them apart."""
    names = [layout_text(run.config.layout) for run in runs]
    return tuple(
        f"{name} {_stored(run)}" if names.count(name) > 1 else name
        for name, run in zip(names, runs, strict=True)
    )


def markdown(table: ComparisonTable) -> str:
    """Return the table as Markdown, as it is on screen."""
    heads = [f"{column.title} ({unit_text(column, table)})" for column in COLUMNS]
    lines = [
        f"| cache | kept | {' | '.join(heads)} |",
        f"|---|---|{'---:|' * len(COLUMNS)}",
    ]
    names = set_names([row.run for row in table.rows])
    for name, row in zip(names, table.rows, strict=True):
        cells = [cell_text(table, row, column) for column in COLUMNS]
        lines.append(f"| {name} | {layout_words(row.run)} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", "Measured on one machine; the first row is the reference.", ""])


def csv_text(table: ComparisonTable) -> str:
    """Return the table with whole numbers, bytes and ns; empty where there is no figure."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    keys = [column.key for column in COLUMNS]
    writer.writerow(["cache", "k_dtype", "v_dtype", "tokens", "first_difference", *keys])
    for row in table.rows:
        config = row.run.config
        first = row.proof.first_difference if row.proof else None
        tokens = len(row.run.trace.generated_ids)
        writer.writerow(
            [
                layout_text(config.layout),
                *(dtype.value for dtype in config.layout.dtypes),
                tokens,
                "" if first is None else first,
                *(_whole(row.figures[key]) for key in keys),
            ]
        )
    return out.getvalue()


def difference_words(reference: Run, row: ComparedRow) -> str:
    """Say which token is the first to differ, and what the reference chose there."""
    first = row.proof.first_difference if row.proof else None
    if row.is_reference:
        return "The reference: the others are compared with it."
    if row.proof is None:
        return "Compared once this run and the reference have ended."
    if first is None:
        return "Every token is the reference's."
    ours, theirs = (_choice(run, first) for run in (row.run, reference))
    return f"Token {first + 1:,} is the first that differs: {ours}, the reference {theirs}."


def _stored(run: Run) -> str:
    k, v = run.config.layout.dtypes
    return k.short if k is v else f"K {k.short}, V {v.short}"


def _choice(run: Run, place: int) -> str:
    pieces = run.trace.generated_pieces
    return f"chose {pieces[place]!r}" if place < len(pieces) else "had ended"


def _tokens_text(row: ComparedRow) -> str:
    if row.is_reference:
        return "ref."
    if row.proof is None:
        return NO_FIGURE
    first = row.proof.first_difference
    return "same" if first is None else f"✗ {first + 1:,}"


def _whole(figure: float | int | None) -> str:
    if figure is None:
        return ""
    if isinstance(figure, bool):
        return "yes" if figure else "no"
    return repr(figure) if isinstance(figure, float) and figure < 1 else str(round(figure))
