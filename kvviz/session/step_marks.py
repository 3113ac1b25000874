"""What every step of a trace was, as arrays that grow with it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kvviz.session.growing import GrowingTable, Numbers
from kvviz.session.latency_level import DecodeLevel
from kvviz.trace.step import Phase
from kvviz.trace.trace import Trace

Flags = NDArray[np.bool_]
FIGURES = ("seq_len", "latency_ns", "bytes_used", "bytes_peak")


@dataclass(frozen=True, slots=True)
class Points:
    """Some of a trace's steps: their indices, and what each is drawn from; int64 [points]."""

    steps: Numbers
    tokens: Numbers
    latency_ns: Numbers
    used: Numbers
    peak: Numbers


class StepMarks:
    """The steps of one trace sorted by what they did; only new steps are read."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.level = DecodeLevel()
        self._flags = np.zeros((2, 16), np.bool_)
        self._known = 0
        self._prefill, self._decode, self._doubled = (GrowingTable(5) for _ in range(3))
        self._work = GrowingTable(4)
        self.done = np.zeros((4, 1), np.int64)  # the totals after all steps, as ``work`` has them
        self.follow()

    @property
    def decode(self) -> Flags:
        """Whether each step fed the newest token alone, bool [steps]."""
        return self._flags[0, : self._known]

    @property
    def chose(self) -> Flags:
        """Whether each step chose a token, bool [steps]."""
        return self._flags[1, : self._known]

    @property
    def work(self) -> Numbers:
        """Running totals at each token chosen, int64 [4, tokens].

        Score cells, naive score cells, token positions, naive token positions.
        """
        return self._work.columns

    def prefill_points(self, upto: int) -> Points:
        """Return the prefill steps among 0..``upto``."""
        return _points(self._prefill, upto)

    def decode_points(self, upto: int) -> Points:
        """Return the decode steps among 0..``upto``."""
        return _points(self._decode, upto)

    def doubled_points(self, upto: int) -> Points:
        """Return those among 0..``upto`` that held more for a moment than they use or reserve."""
        return _points(self._doubled, upto)

    def chosen(self, upto: int) -> int:
        """Return how many tokens steps 0..``upto`` chose."""
        return int(np.count_nonzero(self.chose[: upto + 1]))

    def follow(self) -> None:
        """Read the steps that the trace has gained."""
        steps, first = self.trace.steps, self._known
        known = len(steps)
        if known == first:
            return
        while known > self._flags.shape[1]:
            self._flags = np.concatenate([self._flags, np.zeros_like(self._flags)], axis=1)
        for index in range(first, known):
            step = steps[index]
            self._flags[:, index] = (step.phase is Phase.DECODE, step.token_id is not None)
        self._known = known
        self._sort(first)
        self._add_up(first)
        self.level.follow(self._decode.columns[2])

    def _sort(self, first: int) -> None:
        new = [self.trace.column(name)[first : self._known] for name in FIGURES]
        figures = np.stack([np.arange(first, self._known), *new])
        decode = self.decode[first:]
        _, _, _, used, peak = figures
        reserved = self.trace.column("bytes_reserved")[first : self._known]
        self._prefill.extend(figures[:, ~decode])
        self._decode.extend(figures[:, decode])
        self._doubled.extend(figures[:, (peak > used) & (peak > reserved)])

    def _add_up(self, first: int) -> None:
        chose = self.chose[first:]
        length, cells, positions = (
            self.trace.column(name)[first : self._known]
            for name in ("seq_len", "score_cells", "token_positions")
        )
        naive = np.where(chose, length, 0)
        each = np.stack([cells, naive * (naive + 1) // 2, positions, naive])
        totals = self.done + np.cumsum(each, axis=1)
        self._work.extend(totals[:, chose])
        self.done = totals[:, -1:]


def _points(table: GrowingTable, upto: int) -> Points:
    columns = table.columns
    return Points(*columns[:, : np.searchsorted(columns[0], upto, side="right")])
