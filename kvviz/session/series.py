"""The curves of the charts, from a trace's columns up to a step."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kvviz.sizing.work import score_cells
from kvviz.trace.config import RunConfig
from kvviz.trace.step import Phase
from kvviz.trace.trace import Trace

Numbers = NDArray[np.int64]
FORMULA_POINTS = 256


@dataclass(frozen=True, slots=True)
class MemorySeries:
    """Bytes measured after each step, over the tokens held then."""

    tokens: Numbers
    used: Numbers
    reserved: Numbers
    peak: Numbers


@dataclass(frozen=True, slots=True)
class FormulaLine:
    """Bytes the formula gives, over tokens from 0 to the planned end."""

    tokens: Numbers
    used: Numbers
    reserved: Numbers
    peak: Numbers


@dataclass(frozen=True, slots=True)
class LatencySeries:
    """Latency in ns over the step's index, prefill apart from decode."""

    prefill_steps: Numbers
    prefill_ns: Numbers
    decode_steps: Numbers
    decode_ns: Numbers


@dataclass(frozen=True, slots=True)
class WorkSeries:
    """Running totals over the tokens generated: as run, and feeding the full prefix each time."""

    tokens: Numbers
    cells: Numbers
    naive_cells: Numbers
    positions: Numbers
    naive_positions: Numbers


def memory_series(trace: Trace, upto: int) -> MemorySeries:
    """Return the measured bytes of steps 0..``upto``."""
    names = ("seq_len", "bytes_used", "bytes_reserved", "bytes_peak")
    return MemorySeries(*(trace.column(name)[: upto + 1] for name in names))


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


def latency_series(trace: Trace, upto: int) -> LatencySeries:
    """Return the latencies of steps 0..``upto``."""
    decode = _decode_mask(trace)[: upto + 1]
    latency = trace.column("latency_ns")[: upto + 1]
    steps = np.arange(len(latency), dtype=np.int64)
    return LatencySeries(steps[~decode], latency[~decode], steps[decode], latency[decode])


def work_series(trace: Trace, upto: int) -> WorkSeries:
    """Return the running totals of steps 0..``upto``, one point for each token chosen."""
    chose = np.array([step.token_id is not None for step in trace.steps[: upto + 1]], np.bool_)
    length = trace.column("seq_len")[: upto + 1]
    naive_cells = np.where(chose, length * (length + 1) // 2, 0)
    naive_positions = np.where(chose, length, 0)
    columns = (
        trace.column("score_cells")[: upto + 1],
        naive_cells,
        trace.column("token_positions")[: upto + 1],
        naive_positions,
    )
    totals = [np.cumsum(column)[chose] for column in columns]
    return WorkSeries(np.arange(1, len(totals[0]) + 1, dtype=np.int64), *totals)


def planned_work(prompt_tokens: int, new_tokens: int, *, cached: bool) -> tuple[Numbers, Numbers]:
    """Return (tokens generated, cells) of a whole plan, cached or feeding the full prefix."""
    tokens = np.arange(1, new_tokens + 1, dtype=np.int64)
    lengths = prompt_tokens + tokens - 1
    if not cached:
        return tokens, np.cumsum(lengths * (lengths + 1) // 2)
    cells = lengths.copy()
    cells[0] = score_cells(0, prompt_tokens)
    return tokens, np.cumsum(cells)


def _decode_mask(trace: Trace) -> NDArray[np.bool_]:
    return np.array([step.phase is Phase.DECODE for step in trace.steps], np.bool_)
