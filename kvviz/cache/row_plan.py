"""How one row's blocks are read into a scratch: run by run, or each by itself."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

BLOCKS_A_RUN = 8  # on average, from which on a copy a run is faster than an index


class RowPlan:
    """The blocks of a row, in order; those that lie side by side are copied at once."""

    def __init__(self, blocks: Sequence[int], device: torch.device) -> None:
        self.count = len(blocks)
        # Where in the row a block does not follow the one before it in memory.
        breaks = [i for i, (a, b) in enumerate(pairwise(blocks), start=1) if b != a + 1]
        self._index: Tensor | None = None
        self._runs: list[tuple[int, int, int]] = []
        if self.count < BLOCKS_A_RUN * (len(breaks) + 1):
            self._index = torch.tensor(blocks, dtype=torch.int64, device=device)
            return
        for start, end in pairwise([0, *breaks, self.count]):
            self._runs.append((start, blocks[start], end - start))

    def copy(self, blocks: Tensor, out: Tensor, axis: int) -> None:
        """Copy the row's blocks, along ``axis`` of both, into ``out``."""
        if self._index is not None:
            torch.index_select(blocks, axis, self._index, out=out)
            return
        for place, block, count in self._runs:
            out.narrow(axis, place, count).copy_(blocks.narrow(axis, block, count))
