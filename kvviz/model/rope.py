"""Rotary position embedding, half-split as in Llama."""

import torch
from torch import Tensor

THETA = 10_000.0

Angles = tuple[Tensor, Tensor]
"""cos and signed sin, each [T, D]; sin is negative for the first half of D."""


class Rope:
    """Angles for each position, grown as positions are asked for."""

    def __init__(self, head_dim: int) -> None:
        self._head_dim = head_dim
        self._cos = torch.empty(0)
        self._sin = torch.empty(0)

    def at(self, start: int, end: int, like: Tensor) -> Angles:
        """Return the angles of positions ``start`` to ``end`` in the dtype of ``like``."""
        table = self._cos
        if len(table) < end or table.dtype != like.dtype or table.device != like.device:
            self._grow(max(end, 2 * len(table)), like)
        return self._cos[start:end], self._sin[start:end]

    def _grow(self, positions: int, like: Tensor) -> None:
        # In float64 on the CPU, so that every dtype and device gets the same angles rounded once.
        pairs = torch.arange(0, self._head_dim, 2, dtype=torch.float64) / self._head_dim
        angles = torch.outer(torch.arange(positions, dtype=torch.float64), THETA**-pairs)
        cos, sin = angles.cos(), angles.sin()
        self._cos = torch.cat((cos, cos), dim=1).to(like.device, like.dtype)
        self._sin = torch.cat((-sin, sin), dim=1).to(like.device, like.dtype)


def rotate(x: Tensor, angles: Angles) -> Tensor:
    """Turn x [B, H, T, D]: element i of the first half pairs with i of the second."""
    cos, sin = angles
    # Halves exchanged: flipping a pair of halves is the quickest way on a small tensor.
    halves = x.view(*x.shape[:-1], 2, -1).flip(-2)
    return torch.addcmul(x * cos, halves.view(x.shape), sin)
