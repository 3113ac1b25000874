"""What a comparison says of runs: figures, which is best, and the table as text."""

import csv
import io
from dataclasses import replace

import pytest
from hand_made import hand_made_trace

from kvviz.session.comparison_table import COLUMNS, ComparisonTable
from kvviz.session.comparison_text import (
    cell_text,
    csv_text,
    difference_words,
    layout_words,
    markdown,
    set_names,
    table_unit,
)
from kvviz.session.runs import Run, RunState
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.layout_text import parse_layout

BY_KEY = {column.key: column for column in COLUMNS}
SIX = ("none", "concat", "preallocated", "paged:16", "sliding:8+2", "quantized:int8")


def run_of(run_id, layout, *, state=RunState.FINISHED, **fields):
    trace = hand_made_trace(layout=layout, **fields)
    return Run(run_id, trace, (), 30, state, set_id=1)


def table_of(*texts):
    table = ComparisonTable()
    table.follow(tuple(run_of(n, parse_layout(text)) for n, text in enumerate(texts, 1)))
    return table


def texts(table, key):
    return [cell_text(table, row, BY_KEY[key]) for row in table.rows]


def figures(table, key):
    return [row.figures[key] for row in table.rows]


def test_bytes_are_those_of_the_tensors_at_the_end_at_the_peak_and_over_all_steps():
    table = table_of("concat")
    trace = table.rows[0].run.trace
    steps = [step.measured for step in trace.steps]
    assert figures(table, "bytes_used") == [steps[-1].used]
    assert figures(table, "bytes_reserved") == [steps[-1].reserved]
    assert figures(table, "bytes_peak") == [max(step.peak for step in steps)]
    assert figures(table, "bytes_copied_last") == [steps[-1].copied]
    assert figures(table, "bytes_copied_all") == [sum(step.copied for step in steps)]
    assert figures(table, "bytes_slack") == [0]
    assert table.agrees is True


def test_a_formula_that_is_off_by_a_byte_is_said():
    run = run_of(1, CacheLayout(LayoutKind.CONCAT))
    step = run.trace.steps[3]
    run.trace.steps[3] = replace(step, predicted=step.predicted._replace(used=1))
    table = ComparisonTable()
    table.follow((run,))
    assert table.agrees is False
    assert texts(table, "formula_equals_tensors") == ["✗"]


def test_what_a_run_without_a_cache_does_not_hold_is_no_merit():
    table = table_of(*SIX)
    assert not [key for place, key in table.best if place == 0 and key.startswith("bytes")]
    assert {(4, "bytes_reserved"), (4, "bytes_peak"), (5, "bytes_used")} <= table.best


def test_a_figure_that_half_of_them_share_is_not_the_best():
    table = table_of(*SIX)
    assert not [key for _, key in table.best if key == "bytes_copied_all"]


def test_a_difference_names_the_token_and_what_the_reference_chose():
    reference, other = (run_of(n, CacheLayout(LayoutKind.CONCAT)) for n in (1, 2))
    step = other.trace.steps[6]
    other.trace.steps[6] = replace(step, token_id=step.token_id + 1, piece=" hat")
    table = ComparisonTable()
    table.follow((reference, other))
    assert texts(table, "same_tokens") == ["ref.", "✗ 7"]
    assert "Token 7" in difference_words(reference, table.rows[1])
    assert "' hat'" in difference_words(reference, table.rows[1])
    assert "reference" in difference_words(reference, table.rows[0])


@pytest.mark.parametrize("state", [RunState.WAITING, RunState.RUNNING, RunState.FAILED])
def test_a_run_that_has_not_ended_has_no_figures_yet(state):
    reference = run_of(1, CacheLayout(LayoutKind.CONCAT))
    other = run_of(2, CacheLayout(LayoutKind.PAGED), steps=4, state=state)
    table = ComparisonTable()
    table.follow((reference, other))
    assert set(table.rows[1].figures.values()) == {None}
    assert set(texts(table, "bytes_used")) > {"–"}  # noqa: RUF001
    other.state = RunState.FINISHED
    table.follow((reference, other))
    assert table.rows[1].figures["bytes_used"]
    assert texts(table, "same_tokens")[1] == "✗ 5"


def test_rows_are_worked_out_once():
    runs = tuple(run_of(n, CacheLayout(LayoutKind.CONCAT)) for n in (1, 2))
    table = ComparisonTable()
    table.follow(runs)
    before = table.rows
    table.follow(runs)
    assert all(now is then for now, then in zip(table.rows, before, strict=True))


def test_all_bytes_have_one_unit():
    table = table_of(*SIX)
    assert table_unit(table)[1] == "KiB"
    assert table.most_held == max(figures(table, "bytes_peak"))
    assert table.most_held < max(figures(table, "bytes_copied_all"))


def test_names_tell_runs_of_one_layout_apart():
    half = CacheLayout(kv_dtype=DType.BFLOAT16)
    mixed = CacheLayout(v_dtype=DType.FLOAT8_E4M3)
    runs = [run_of(n, one) for n, one in enumerate((CacheLayout(), half, mixed), 1)]
    names = ("preallocated fp32", "preallocated bf16", "preallocated K fp32, V fp8")
    assert set_names(runs) == names
    assert set_names(runs[:1]) == ("preallocated",)
    assert layout_words(runs[2]) == "64 slots at once · K fp32, V fp8"


def test_markdown_has_a_line_for_each_run_and_units():
    lines = markdown(table_of(*SIX)).splitlines()
    assert lines[0].count("|") == lines[1].count("|") == lines[2].count("|")
    assert "ITL p50 (ms)" in lines[0]
    assert "used (KiB)" in lines[0]
    assert [line.split(" ")[1] for line in lines[2:8]] == list(SIX)
    assert "Measured" in lines[-1]


def test_csv_has_whole_bytes_and_nanoseconds():
    table = table_of(*SIX)
    rows = list(csv.DictReader(io.StringIO(csv_text(table))))
    assert [row["cache"] for row in rows] == list(SIX)
    assert int(rows[2]["bytes_reserved"]) == table.rows[2].figures["bytes_reserved"]
    assert int(rows[2]["ttft_ns"]) == table.rows[2].figures["ttft_ns"]
    assert rows[0]["same_tokens"] == ""
    assert rows[1]["same_tokens"] == "yes"
    assert rows[1]["first_difference"] == ""
    assert rows[1]["k_dtype"] == "float32"
