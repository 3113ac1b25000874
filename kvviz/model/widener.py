"""Weights that are read out of half their bytes.

On a CPU a few rows wait for a weight's bytes, not for the sums with them.  A number that 16 bits
hold exactly, as those of most files are, is the same when it is widened again.
"""

import torch
from torch import Tensor

from kvviz.model.rows import FEW_ROWS, Rows

MOST_BYTES = 2**20  # of one weight: widened, it has to stay in the processor's cache
MOST_KEPT_BYTES = 32 * 2**20  # of all halves together


class Widener:
    """Room for the one weight that is multiplied with: a model's own, it runs in one thread."""

    def __init__(self) -> None:
        self._room = torch.empty(MOST_BYTES // 4)
        self._left = MOST_KEPT_BYTES

    def matrix(self, weight: Tensor) -> Rows:
        """Return what gives ``weight`` [in, out] for rows [N, in] to be multiplied with."""
        half = self._half(weight)
        if half is None:
            return lambda rows: weight
        self._left -= half.nbytes
        room = self._room[: half.numel()].as_strided(half.shape, half.stride())
        return lambda rows: room.copy_(half) if rows.shape[0] <= FEW_ROWS else weight

    def _half(self, weight: Tensor) -> Tensor | None:
        """Return the weight in 16 bits, if it has a place there and is the same."""
        small = weight.nbytes <= min(MOST_BYTES, 2 * self._left)
        if small and weight.is_cpu and weight.dtype is torch.float32:
            for dtype in (torch.float16, torch.bfloat16):
                half = weight.to(dtype)
                if torch.equal(half.float(), weight):
                    return half
        return None
