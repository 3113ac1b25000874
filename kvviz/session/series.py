"""The curves of the charts, from a trace's columns and the plan."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kvviz.session.growing import Numbers
from kvviz.session.step_marks import StepMarks
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.work import score_cells
from kvviz.trace.config import RunConfig
from kvviz.trace.trace import Trace

FORMULA_POINTS = 65
CORNER_POINTS = 257  # of a line with corners: stairs of blocks, a window that is full, a residual


@dataclass(frozen=True, slots=True)
class FormulaLine:
    """Bytes the formula gives, over tokens from 0 to the planned end; int64 [points]."""

    tokens: Numbers
    used: Numbers
    reserved: Numbers
    peak: Numbers


@dataclass(frozen=True, slots=True)
class WorkSeries:
    """Running totals at each token chosen, recorded ones first, then the plan; int64 [tokens].

    ``recorded`` is how many are recorded.  Counts are per layer, per query head and per sequence;
    the naive ones feed the full prefix for each token.
    """

    recorded: int
    tokens: Numbers
    cells: Numbers
    naive_cells: Numbers
    positions: Numbers
    naive_positions: Numbers


@lru_cache(maxsize=16)  # asked for at every step of a run, and always the same
def formula_line(config: RunConfig, planned_tokens: int) -> FormulaLine:
    """Return the predicted bytes of decode steps up to ``planned_tokens`` of the recorded row."""
    cornered = config.layout.kind in (LayoutKind.PAGED, LayoutKind.SLIDING, LayoutKind.QUANTIZED)
    points = CORNER_POINTS if cornered else FORMULA_POINTS
    tokens = np.unique(np.linspace(0, planned_tokens, points).astype(np.int64))
    parts, late = config.model.shape.cache_parts, config.row_pads[0]
    places = [int(n) + late if n else 0 for n in tokens]
    predicted = [
        config.layout.predict(
            parts,
            batch=config.batch,
            before=max(0, after - 1),
            after=after,
            max_seq_len=config.max_seq_len,
            pads=config.pads,
        )
        for after in places
    ]
    return FormulaLine(
        tokens,
        np.array([p.used for p in predicted], np.int64),
        np.array([p.reserved for p in predicted], np.int64),
        np.array([p.peak for p in predicted], np.int64),
    )


def formula_gap(trace: Trace, upto: int) -> int:
    """Return the largest difference in bytes between formula and tensors over steps 0..``upto``.

    Used, reserved, peak and copied bytes are all compared; 0 says that all are equal.
    """
    pairs = (
        ("bytes_used", "predicted_bytes"),
        ("bytes_reserved", "predicted_reserved"),
        ("bytes_peak", "predicted_peak"),
        ("bytes_copied", "predicted_copied"),
    )
    gaps = [
        np.abs(trace.column(measured)[: upto + 1] - trace.column(predicted)[: upto + 1])
        for measured, predicted in pairs
    ]
    return int(np.max(gaps, initial=0))


def work_series(marks: StepMarks, planned_tokens: int) -> WorkSeries:
    """Return the running totals of a run and of what its plan still has to do."""
    rest = _planned_work(marks.trace, planned_tokens)
    totals = np.concatenate([marks.work, marks.done + np.cumsum(rest, axis=1)], axis=1)
    tokens = np.arange(1, totals.shape[1] + 1, dtype=np.int64)
    return WorkSeries(marks.work.shape[1], tokens, *totals)


def _planned_work(trace: Trace, planned_tokens: int) -> Numbers:
    """Return what each token still to come costs, in the order of ``StepMarks.work``."""
    held, prompt = trace.seq_len, len(trace.config.prompt_ids)
    lengths = np.arange(max(held + 1, prompt), planned_tokens, dtype=np.int64)
    naive = lengths * (lengths + 1) // 2
    if not trace.config.layout.keeps_entries:
        return np.stack([naive, naive, lengths, lengths])
    cells, positions = lengths.copy(), np.ones_like(lengths)
    if held < prompt and len(lengths):
        cells[0], positions[0] = score_cells(held, prompt - held), prompt - held
    return np.stack([cells, naive, positions, lengths])
