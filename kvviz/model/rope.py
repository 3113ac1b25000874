"""Rotary position embedding, half-split as in Llama."""

from collections.abc import Callable

import torch
from torch import Tensor

from kvviz.model.architecture import TUTORIAL, Rotation
from kvviz.model.frequencies import frequencies

MOST_AT_ONCE = 16  # positions whose matrices are made together,
MOST_ELEMENTS = 2**14  # while these are small: a wide head's would hold up every sixteenth step

Turn = Callable[[Tensor], Tensor]
"""Turns x [B, H, T, D] by the angles of its T positions: element i pairs with i + W / 2.

W elements of D turn, which is all of them in most models; the others pass.
"""


class Rope:
    """Angles for each position, grown as positions are asked for."""

    def __init__(self, head_dim: int, rotation: Rotation = TUTORIAL.rope) -> None:
        self._head_dim, self._rotation = head_dim, rotation
        self._width = head_dim if rotation.width is None else rotation.width
        self._turning = 2 * len(range(0, self._width, 2))  # an odd width turns one more
        self._cos = self._sin = torch.empty(0, head_dim)  # [positions, D], sin signed
        self._same = self._other = torch.empty(0)  # [D, D], one of a pair to itself, to the other
        self._at_once = max(1, min(MOST_AT_ONCE, MOST_ELEMENTS // head_dim**2))
        self._first = 0  # the position of the first matrix, each is [D, D]
        self._matrices: tuple[Tensor, ...] = ()
        self._kind: tuple[torch.dtype, torch.device] | None = None  # what they were made as

    def at(self, start: int, end: int, like: Tensor) -> Turn:
        """Return what turns positions ``start`` to ``end`` in the dtype of ``like``."""
        if end - start == 1:
            matrix, width = self._matrix(start, like), self._head_dim
            return lambda x: torch.mm(x.reshape(-1, width), matrix).view(-1, x.size(1), 1, width)
        return self._turn(*self._rows(start, end, like))

    def at_each(self, positions: Tensor, like: Tensor) -> Turn:
        """Return what turns each row of a batch by its own ``positions`` [B, T]."""
        cos, sin = self._rows(0, int(positions.max()) + 1, like)
        return self._turn(cos[positions][:, None], sin[positions][:, None])

    def _turn(self, cos: Tensor, sin: Tensor) -> Turn:
        return lambda x: torch.addcmul(x * cos, self._exchanged(x), sin)

    def _matrix(self, position: int, like: Tensor) -> Tensor:
        """Return one position as a matrix, [D, D]: those of the next ones are made with it."""
        place, kind = position - self._first, (like.dtype, like.device)
        if not 0 <= place < len(self._matrices) or kind != self._kind:
            count = 1 if self._rotation.follows_length else self._at_once
            cos, sin = self._rows(position, position + count, like)
            matrices = torch.addcmul(self._same * cos[:, None], self._other, sin[:, None])
            self._first, self._matrices, self._kind = position, matrices.unbind(), kind
            return self._matrices[0]
        return self._matrices[place]

    def _rows(self, start: int, end: int, like: Tensor) -> tuple[Tensor, Tensor]:
        """Return cos and signed sin of positions ``start`` to ``end``, each [T, D]."""
        if self._rotation.follows_length:
            self._grow(start, end, end, like)
            return self._cos, self._sin
        table = self._cos
        if len(table) < end or table.dtype != like.dtype or table.device != like.device:
            self._grow(0, max(end, 2 * min(len(table), end)), end, like)
        return self._cos[start:end], self._sin[start:end]

    def _grow(self, start: int, end: int, length: int, like: Tensor) -> None:
        # In float64 on the CPU, so that every dtype and device gets the same angles rounded once.
        pairs = torch.tensor(frequencies(self._rotation, self._width, length), dtype=torch.float64)
        angles = torch.outer(torch.arange(start, end, dtype=torch.float64), pairs)
        cos = angles.cos() * self._rotation.magnitude
        sin = angles.sin() * self._rotation.magnitude
        passing = self._head_dim - self._turning
        self._cos = torch.cat((cos, cos, cos.new_ones(len(cos), passing)), dim=1).to(like)
        self._sin = torch.cat((-sin, sin, sin.new_zeros(len(sin), passing)), dim=1).to(like)
        same = torch.eye(self._head_dim, dtype=torch.float64)
        self._same, self._other = same.to(like), self._exchanged(same).to(like)

    def _exchanged(self, x: Tensor) -> Tensor:
        if self._turning == self._head_dim:
            return _halves_exchanged(x)
        turning, passing = x.tensor_split((self._turning,), dim=-1)
        return torch.cat((_halves_exchanged(turning), passing), dim=-1)


def _halves_exchanged(x: Tensor) -> Tensor:
    # Flipping a pair of halves is the quickest way on a small tensor.
    return x.view(*x.shape[:-1], 2, -1).flip(-2).view(x.shape)
