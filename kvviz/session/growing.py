"""Columns of numbers that gain rows."""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


class GrowingTable:
    """int64 columns that rows are added to; each lies in one piece, so that reading it is quick."""

    def __init__(self, columns: int) -> None:
        self._room = np.zeros((columns, 16), np.int64)
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    @property
    def columns(self) -> Numbers:
        """What is there, [columns, rows]: a view, right until rows are added."""
        return self._room[:, : self._rows]

    def extend(self, rows: Numbers) -> None:
        """Add rows, [columns, added]."""
        needed = self._rows + rows.shape[1]
        while needed > self._room.shape[1]:
            self._room = np.concatenate([self._room, np.zeros_like(self._room)], axis=1)
        self._room[:, self._rows : needed] = rows
        self._rows = needed
