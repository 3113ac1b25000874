"""How far a run is: steps recorded, steps planned, and the place of one among its like."""

from dataclasses import dataclass

import numpy as np

from kvviz.session.runs import Run, RunState
from kvviz.session.step_marks import StepMarks
from kvviz.trace.step import Phase


@dataclass(frozen=True, slots=True)
class Place:
    """The ``number``-th step of its phase, from 1, of so many in the whole plan."""

    phase: Phase
    number: int
    total: int


def total_steps(run: Run) -> int:
    """Return how many steps a run has at its planned end; one that finished has what it has.

    The last token chosen is never fed, so G tokens take the prefill and G - 1 decode steps.
    """
    recorded = len(run.trace)
    if run.state is RunState.FINISHED:
        return recorded
    fed = max(run.trace.seq_len, len(run.config.prompt_ids))
    return recorded + _pending_prefills(run) + max(0, run.planned_tokens - 1 - fed)


def place_of(run: Run, marks: StepMarks, index: int) -> Place | None:
    """Return where step ``index`` stands among the steps of its phase; None before the first."""
    if not 0 <= index < len(marks.decode):
        return None
    decodes = total_decodes(run, marks)
    decoded = int(np.count_nonzero(marks.decode[: index + 1]))
    if marks.decode[index]:
        return Place(Phase.DECODE, decoded, decodes)
    return Place(Phase.PREFILL, index + 1 - decoded, total_steps(run) - decodes)


def total_decodes(run: Run, marks: StepMarks) -> int:
    """Return how many of ``total_steps`` are decode steps."""
    prefills = int(np.count_nonzero(~marks.decode)) + _pending_prefills(run)
    return total_steps(run) - prefills


def _pending_prefills(run: Run) -> int:
    prompt = len(run.config.prompt_ids)
    left = max(0, prompt - run.trace.seq_len)
    return -(-left // (run.config.prefill_chunk or prompt))
