"""The curves of the charts, from a trace's columns and the plan."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kvviz.session.step_marks import StepMarks
from kvviz.sizing.work import score_cells
from kvviz.trace.config import RunConfig
from kvviz.trace.trace import Trace

Numbers = NDArray[np.int64]
FORMULA_POINTS = 65


@dataclass(frozen=True, slots=True)
class MemorySeries:
    """Bytes measured after each step, over the tokens held then; int64 [steps]."""

    tokens: Numbers
    used: Numbers
    reserved: Numbers
    peak: Numbers


@dataclass(frozen=True, slots=True)
class FormulaLine:
    """Bytes the formula gives, over tokens from 0 to the planned end; int64 [points]."""

    tokens: Numbers
    used: Numbers
    reserved: Numbers
    peak: Numbers


@dataclass(frozen=True, slots=True)
class LatencySeries:
    """Latency in ns over the step's index, prefill apart from decode; int64."""

    prefill_steps: Numbers
    prefill_ns: Numbers
    decode_steps: Numbers
    decode_ns: Numbers


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


def memory_series(trace: Trace, upto: int) -> MemorySeries:
    """Return the measured bytes of steps 0..``upto``."""
    names = ("seq_len", "bytes_used", "bytes_reserved", "bytes_peak")
    return MemorySeries(*(trace.column(name)[: upto + 1] for name in names))


@lru_cache(maxsize=16)  # asked for at every step of a run, and always the same
def formula_line(config: RunConfig, planned_tokens: int) -> FormulaLine:
    """Return the predicted bytes of decode steps up to ``planned_tokens``."""
    tokens = np.unique(np.linspace(0, planned_tokens, FORMULA_POINTS).astype(np.int64))
    parts = config.model.shape.cache_parts
    predicted = [
        config.layout.predict(
            parts,
            batch=config.batch,
            before=max(0, int(n) - 1),
            after=int(n),
            max_seq_len=config.max_seq_len,
        )
        for n in tokens
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


def latency_series(marks: StepMarks, upto: int) -> LatencySeries:
    """Return the latencies of steps 0..``upto``."""
    decode = marks.decode[: upto + 1]
    latency = marks.trace.column("latency_ns")[: len(decode)]
    steps = np.arange(len(latency), dtype=np.int64)
    return LatencySeries(steps[~decode], latency[~decode], steps[decode], latency[decode])


def work_series(marks: StepMarks, planned_tokens: int) -> WorkSeries:
    """Return the running totals of a run and of what its plan still has to do."""
    trace, chose = marks.trace, marks.chose
    cached = trace.config.layout.keeps_entries
    length = trace.column("seq_len")
    recorded = (
        trace.column("score_cells"),
        np.where(chose, length * (length + 1) // 2, 0),
        trace.column("token_positions"),
        np.where(chose, length, 0),
    )
    rest = _planned_work(trace, planned_tokens, cached)
    picked = np.concatenate([chose, np.ones(len(rest[0]), np.bool_)])
    totals = [
        np.cumsum(np.concatenate([column, more]))[picked]
        for column, more in zip(recorded, rest, strict=True)
    ]
    known = int(np.count_nonzero(chose))
    return WorkSeries(known, np.arange(1, len(totals[0]) + 1, dtype=np.int64), *totals)


def _planned_work(trace: Trace, planned_tokens: int, cached: bool) -> tuple[Numbers, ...]:
    held, prompt = trace.seq_len, len(trace.config.prompt_ids)
    lengths = np.arange(max(held + 1, prompt), planned_tokens, dtype=np.int64)
    naive = lengths * (lengths + 1) // 2
    if not cached:
        return naive, naive, lengths, lengths
    cells, positions = lengths.copy(), np.ones_like(lengths)
    if held < prompt and len(lengths):
        cells[0], positions[0] = score_cells(held, prompt - held), prompt - held
    return cells, naive, positions, lengths
