"""What every step of a trace was, as arrays that grow with it."""

import numpy as np
from numpy.typing import NDArray

from kvviz.trace.step import Phase
from kvviz.trace.trace import Trace

Flags = NDArray[np.bool_]


class StepMarks:
    """Which steps of one trace decoded and which chose a token; only new steps are read."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._flags = np.zeros((16, 2), np.bool_)
        self._known = 0
        self.follow()

    @property
    def decode(self) -> Flags:
        """Whether each step fed the newest token alone, bool [steps]."""
        return self._flags[: self._known, 0]

    @property
    def chose(self) -> Flags:
        """Whether each step chose a token, bool [steps]."""
        return self._flags[: self._known, 1]

    def follow(self) -> None:
        """Read the steps that the trace has gained."""
        steps = self.trace.steps
        known = len(steps)
        while known > len(self._flags):
            self._flags = np.concatenate([self._flags, np.zeros_like(self._flags)])
        for index in range(self._known, known):
            step = steps[index]
            self._flags[index] = (step.phase is Phase.DECODE, step.token_id is not None)
        self._known = known

    def chosen(self, upto: int) -> int:
        """Return how many tokens steps 0..``upto`` chose."""
        return int(np.count_nonzero(self.chose[: upto + 1]))
