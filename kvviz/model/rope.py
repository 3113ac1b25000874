"""Rotary position embedding, half-split as in Llama."""

from collections.abc import Callable

import torch
from torch import Tensor

THETA = 10_000.0

Turn = Callable[[Tensor], Tensor]
"""Turns x [B, H, T, D] by the angles of its T positions: element i pairs with i + D / 2."""


class Rope:
    """Angles for each position, grown as positions are asked for."""

    def __init__(self, head_dim: int) -> None:
        self._head_dim = head_dim
        self._cos = self._sin = torch.empty(0, head_dim)  # [positions, D], sin signed
        self._same = self._other = torch.empty(0)  # [D, D], one of a pair to itself, to the other

    def at(self, start: int, end: int, like: Tensor) -> Turn:
        """Return what turns positions ``start`` to ``end`` in the dtype of ``like``."""
        table = self._cos
        if len(table) < end or table.dtype != like.dtype or table.device != like.device:
            self._grow(max(end, 2 * len(table)), like)
        cos, sin = self._cos[start:end], self._sin[start:end]
        if end - start == 1:
            # One position is one matrix, made once for all layers.
            matrix = torch.addcmul(self._same * cos, self._other, sin)
            return lambda x: (x.reshape(-1, self._head_dim) @ matrix).view(x.shape)
        return lambda x: torch.addcmul(x * cos, _halves_exchanged(x), sin)

    def _grow(self, positions: int, like: Tensor) -> None:
        # In float64 on the CPU, so that every dtype and device gets the same angles rounded once.
        pairs = torch.arange(0, self._head_dim, 2, dtype=torch.float64) / self._head_dim
        angles = torch.outer(torch.arange(positions, dtype=torch.float64), THETA**-pairs)
        cos, sin = angles.cos(), angles.sin()
        same = torch.eye(self._head_dim, dtype=torch.float64)
        self._cos = torch.cat((cos, cos), dim=1).to(like.device, like.dtype)
        self._sin = torch.cat((-sin, sin), dim=1).to(like.device, like.dtype)
        self._same = same.to(like.device, like.dtype)
        self._other = _halves_exchanged(same).to(like.device, like.dtype)


def _halves_exchanged(x: Tensor) -> Tensor:
    # Flipping a pair of halves is the quickest way on a small tensor.
    return x.view(*x.shape[:-1], 2, -1).flip(-2).view(x.shape)
