"""A run's steps as a table for spreadsheets."""

import csv
import io

from kvviz.trace.step import Step
from kvviz.trace.trace import COLUMNS, Trace, step_row

UNITS = {
    "seq_len": "seq_len_tokens",
    "predicted_reserved": "predicted_bytes_reserved",
    "predicted_peak": "predicted_bytes_peak",
    "predicted_copied": "predicted_bytes_copied",
    "predicted_pool": "predicted_bytes_pool",
    "predicted_gathered": "predicted_bytes_gathered",
}
HEADER = (
    "step",
    "phase",
    *(UNITS.get(name, name) for name in COLUMNS),
    "tokens_added",
    "token_id",
    "token",
    "probability",
)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def steps_table(trace: Trace) -> str:
    """Return the steps as CSV, a line each, newlines as RFC 4180 has them (CRLF).

    Bytes and ns are plain integers, ``predicted_*`` are the formula's; a cell is empty where a
    step has no such figure.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(HEADER)
    writer.writerows(_row(step) for step in trace.steps)
    return text.getvalue()


def _row(step: Step) -> list[object]:
    return [
        step.index,
        step.phase.value,
        *step_row(step),
        _cell("".join(step.new_pieces)),
        "" if step.token_id is None else step.token_id,
        _cell(step.piece),
        "" if step.probability is None else step.probability,
    ]


def _cell(text: str) -> str:
    # A spreadsheet would run such a text as a formula.
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
