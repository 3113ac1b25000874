"""Rotary position embedding, half-split as in Llama."""

import torch
from torch import Tensor

THETA = 10_000.0


class Rope:
    """Angles for each position, grown as positions are asked for."""

    def __init__(self, head_dim: int) -> None:
        self._head_dim = head_dim
        self._cos = torch.empty(0)
        self._sin = torch.empty(0)

    def at(self, start: int, end: int, like: Tensor) -> tuple[Tensor, Tensor]:
        """Return cos and sin for positions ``start`` to ``end``, each [T, D], as ``like`` is."""
        table = self._cos
        if len(table) < end or table.dtype != like.dtype or table.device != like.device:
            self._grow(max(end, 2 * len(table)), like)
        return self._cos[start:end], self._sin[start:end]

    def _grow(self, positions: int, like: Tensor) -> None:
        # In float64 on the CPU, so that every dtype and device gets the same angles rounded once.
        pairs = torch.arange(0, self._head_dim, 2, dtype=torch.float64) / self._head_dim
        angles = torch.outer(torch.arange(positions, dtype=torch.float64), THETA**-pairs)
        both = torch.cat((angles, angles), dim=1)
        self._cos = both.cos().to(like.device, like.dtype)
        self._sin = both.sin().to(like.device, like.dtype)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn x [B, H, T, D]: element i of the first half pairs with i of the second."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin
