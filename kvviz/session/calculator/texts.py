"""An answer to paste elsewhere: Markdown, plain text, CSV."""

import csv
import io
from collections.abc import Iterator

from kvviz.session.calculator.calculator import Calculator
from kvviz.sizing.answer import Answer
from kvviz.sizing.answer_report import answer_report
from kvviz.sizing.answer_words import answer_lines, markdown, title

PART_COLUMNS = ("k_bytes", "v_bytes", "index_bytes", "state_bytes")


def markdown_text(calculator: Calculator) -> str:
    """Return a table, the formula and what was assumed, in Markdown."""
    model = calculator.sheet.model
    return f"{markdown(calculator.answer, model.name)}\n\nSource: {model.source}\n"


def plain_text(calculator: Calculator) -> str:
    """Return the same as text, one line a figure."""
    answer, model = calculator.answer, calculator.sheet.model
    figures = answer_lines(answer)
    width = max(len(line.name) for line in figures)
    lines = [title(answer, model.name), ""]
    lines += [f"{line.name:<{width}}  {line.value}" for line in figures]
    parts = (
        ("formula", answer.formula),
        ("assumed", answer.assumptions),
        ("note", answer.warnings),
        ("source", (model.source,)),
    )
    for heading, said in parts:
        if said:
            lines += ["", heading, *(f"  {line}" for line in said)]
    return "\n".join([*lines, ""])


def csv_text(calculator: Calculator) -> str:
    """Return every number of the answer as (figure, value), then each layer's parts, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("figure", "value"))
    writer.writerow(("model", calculator.sheet.model.name))
    writer.writerow(("source", calculator.sheet.model.source))
    writer.writerows(_csv_rows(calculator.answer))
    return out.getvalue()


def _csv_rows(answer: Answer) -> Iterator[tuple[str, object]]:
    report = answer_report(answer)
    layers = report.pop("layers")
    for name, value in report.items():
        if isinstance(value, dict):
            yield from value.items()
        elif isinstance(value, list):
            yield from ((name, line) for line in value)
        else:
            yield name, "" if value is None else value
    for number, layer in enumerate(layers):
        for part in layer["parts"]:
            for column in PART_COLUMNS:
                if part[column]:
                    yield f"layer {number} {part['kind']} {column}", part[column]
        if not layer["parts"]:
            shared = layer.get("shares_with")
            yield f"layer {number}", "nothing" if shared is None else f"as layer {shared}"
