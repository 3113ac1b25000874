from dataclasses import replace

import numpy as np
import pytest
from plain_trace import add_step, other_bytes, plain_trace
from real_run import real_trace, small_config

from kvviz.session.series import (
    formula_gap,
    formula_line,
    work_series,
)
from kvviz.session.step_marks import StepMarks
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.work import naive_score_cells, naive_token_positions
from kvviz.trace.step import Phase
from kvviz.trace.work import totals


@pytest.mark.parametrize("kind", LayoutKind)
def test_the_formula_passes_through_the_measured_points(kind):
    trace = plain_trace(decodes=20, layout=kind)
    line, tokens = formula_line(trace.config, 30), trace.column("seq_len")
    assert line.tokens[0] == 0
    assert line.tokens[-1] == 30
    used = trace.column("bytes_used")
    assert np.interp(tokens, line.tokens, line.used).tolist() == used.tolist()
    config = trace.config
    end = config.layout.predict(
        config.model.shape.cache_parts,
        batch=config.batch,
        before=29,
        after=30,
        max_seq_len=config.max_seq_len,
    )
    assert line.reserved[-1] == end.reserved


@pytest.mark.parametrize("kind", [LayoutKind.PREALLOCATED, LayoutKind.CONCAT, LayoutKind.PAGED])
@pytest.mark.parametrize("more", [(1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2)], ids=["longer", "shorter"])
def test_the_formula_counts_rows_of_other_lengths(kind, more):
    trace = real_trace(small_config(kind, batch=2, more_prompts=(more,)))
    line, tokens = formula_line(trace.config, trace.seq_len), trace.column("seq_len")
    for name, drawn in (("bytes_used", line.used), ("bytes_reserved", line.reserved)):
        assert np.interp(tokens, line.tokens, drawn).tolist() == trace.column(name).tolist()


def test_a_formula_of_a_long_plan_has_few_points():
    config = plain_trace(new_tokens=10_000).config
    assert len(formula_line(config, 10_006).tokens) == 65
    paged = replace(config, layout=CacheLayout(LayoutKind.PAGED))
    assert len(formula_line(paged, 10_006).tokens) == 257


def test_the_gap_between_formula_and_tensors():
    trace = plain_trace(decodes=3)
    assert formula_gap(trace, 3) == 0
    assert formula_gap(trace, -1) == 0
    reserved = trace.steps[0].measured.reserved
    add_step(trace, Phase.DECODE, 1, True, measured=other_bytes(0))
    assert formula_gap(trace, 3) == 0
    assert formula_gap(trace, 4) == reserved


@pytest.mark.parametrize("kind", [LayoutKind.NONE, LayoutKind.PREALLOCATED])
@pytest.mark.parametrize("decodes", [0, 7, 23])
def test_work_is_recorded_then_planned_and_ends_at_the_same_totals(kind, decodes):
    whole = plain_trace(decodes=23, layout=kind)
    series = work_series(StepMarks(plain_trace(decodes=decodes, layout=kind)), 30)
    assert series.recorded == decodes + 1
    assert series.tokens.tolist() == list(range(1, 25))
    end = totals(whole)
    assert series.cells[-1] == end.score_cells
    assert series.positions[-1] == end.token_positions
    assert series.naive_cells[-1] == end.naive_score_cells == naive_score_cells(6, 24)
    assert series.naive_positions[-1] == end.naive_token_positions == naive_token_positions(6, 24)
    middle = totals(plain_trace(decodes=11, layout=kind))
    assert series.cells[11] == middle.score_cells


@pytest.mark.parametrize("fed", [0, 4, 8])
def test_work_planned_in_mid_prefill(fed):
    whole = work_series(StepMarks(plain_trace((10,), 0)), 34)
    trace = plain_trace((10,), 0, prefill_chunk=4)
    begun = type(trace)(trace.config)
    for _ in range(fed // 4):
        add_step(begun, Phase.PREFILL, 4, False)
    series = work_series(StepMarks(begun), 34)
    assert series.recorded == 0
    assert series.cells.tolist() == whole.cells.tolist()
    assert series.positions.tolist() == whole.positions.tolist()


def test_totals_of_a_trace_that_grows_are_those_of_a_whole_one():
    whole = work_series(StepMarks(plain_trace((4, 2), 9)), 30)
    grown = plain_trace((4, 2), 3)
    marks = StepMarks(grown)
    for _ in range(6):
        add_step(grown, Phase.DECODE, 1, True)
        marks.follow()
    series = work_series(marks, 30)
    assert series.recorded == whole.recorded == 10
    for name in ("tokens", "cells", "naive_cells", "positions", "naive_positions"):
        assert getattr(series, name).tolist() == getattr(whole, name).tolist()


def test_a_chunk_that_chose_nothing_is_work_but_no_token():
    series = work_series(StepMarks(plain_trace((4, 2), 1)), 30)
    assert series.recorded == 2
    assert series.cells[:2].tolist() == [21, 28]
    assert series.naive_cells[:2].tolist() == [21, 49]
