"""How one row's blocks are read into a scratch: run by run, or each by itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

BLOCKS_A_RUN = 8  # on average, from which on a copy a run is faster than an index


@dataclass(frozen=True, slots=True)
class Target:
    """A stretch of a scratch, and the blocks that go there: named one by one, or a run of them."""

    out: Tensor
    axis: int  # of the blocks, in both
    index: Tensor | None
    first: int = 0
    count: int = 0

    def fill(self, blocks: Tensor) -> None:
        """Copy them."""
        if self.index is None:
            self.out.copy_(blocks.narrow(self.axis, self.first, self.count))
        else:
            torch.index_select(blocks, self.axis, self.index, out=self.out)


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

    def targets(self, out: Tensor, axis: int) -> Iterator[Target]:
        """Yield where in ``out`` the row's blocks go, along ``axis`` of both."""
        if self._index is not None:
            yield Target(out, axis, self._index)
        for place, block, count in self._runs:
            yield Target(out.narrow(axis, place, count), axis, None, block, count)
