"""``kvviz bench``."""

import json
import sys
from argparse import Namespace

from kvviz.bench.suite import FIGURES, Row, measure_all, measure_model
from kvviz.cli.models import BUILT_IN
from kvviz.cli.progress import progress
from kvviz.engine.folder import open_folder


def run_bench(options: Namespace) -> int:
    """Measure every figure and print the rows; return the exit code."""
    rows: list[Row] = []
    named = options.model is not None
    if named and options.model != BUILT_IN:
        open_folder(
            options.model, with_tokenizer=False
        )  # refused here, not in a process of its own
    found_rows = measure_model(options.model) if named else measure_all()
    with progress("measuring, some minutes", 1 if named else len(FIGURES)) as report:
        for done, found in enumerate(found_rows, start=1):
            rows += found
            report(done)
    if options.json:
        print(json.dumps({"rows": rows}, allow_nan=False))
    else:
        print_rows(rows)
    return 0


def print_rows(rows: list[Row]) -> None:
    """Print the rows as a table, and below it why some say nothing."""
    from rich.console import Console
    from rich.table import Table

    console = Console(file=sys.stdout, highlight=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("figure")
    for name in ("kvviz", "baseline", "unit", "ratio", "goal", "met"):
        table.add_column(name, justify="left" if name == "unit" else "right", no_wrap=True)
    for row in rows:
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}x"
        values = (_number(row["value"]), _number(row["baseline"]), str(row["unit"]), ratio)
        table.add_row(str(row["name"]), *values, str(row["goal"]), VERDICTS[row["met"]])
    console.print(table)
    for row in rows:
        if "reason" in row:
            console.print(f"{row['name']}: {row['reason']}", style="dim")


VERDICTS: dict[object, str] = {True: "yes", False: "no", None: "-"}


def _number(value: object) -> str:
    if not isinstance(value, int | float):
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
