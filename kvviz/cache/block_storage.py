"""The tensor behind one layer's keys, or its values, in blocks."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kvviz.cache.preallocated import LONG, TOKENS_INNERMOST
from kvviz.cache.row_plan import RowPlan, Target

Slots = slice | Tensor
"""Where tokens lie: a run of neighbours, which needs no index, or each by itself, int64 [N]."""


@dataclass(frozen=True, slots=True)
class Gathering:
    """Where the blocks of all rows are copied to, and that as attention reads it.

    ``held`` is [B, K, n * block_size, D].
    """

    targets: tuple[Target, ...]
    held: Tensor


class BlockStorage:
    """Blocks of all requests, [num_blocks, block_size, K, D]; slot = block x block_size + offset.

    A long one may have its tokens innermost in memory, as a long preallocated cache has; what
    is gathered has the usual axes either way.  It begins with zeros: slots that no token
    has are read too and hidden by a mask, which does not hide what is no number.
    """

    def __init__(
        self,
        num_blocks: int,
        block_size: int,
        heads: int,
        width: int,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        self._num_blocks, self._block_size = num_blocks, block_size
        self._heads, self._width = heads, width
        row, slots = heads * width, num_blocks * block_size
        self._innermost = slots >= LONG and device.type == "cpu" and dtype in TOKENS_INNERMOST
        self._axis = 1 if self._innermost else 0  # of the slots
        size = (row, slots) if self._innermost else (slots, row)
        self._flat = torch.zeros(size, dtype=dtype, device=device)
        # Not every kernel knows every dtype of eight bits; a copy need not know any.
        self._writable = self._flat.view(torch.uint8) if dtype.itemsize == 1 else self._flat
        blocks = (
            (row, num_blocks, block_size) if self._innermost else (num_blocks, block_size * row)
        )
        self._blocks = self._flat.view(blocks)

    @property
    def dtype(self) -> torch.dtype:
        """What is stored."""
        return self._flat.dtype

    @property
    def blocks(self) -> Tensor:
        """A view [num_blocks, block_size, K, D]."""
        count, size = self._num_blocks, self._block_size
        if self._innermost:
            split = self._flat.view(self._heads, self._width, count, size)
            return split.permute(2, 3, 0, 1)
        return self._flat.view(count, size, self._heads, self._width)

    @property
    def block_elements(self) -> int:
        """Elements of one block."""
        return self._block_size * self._heads * self._width

    @property
    def nbytes(self) -> int:
        """Bytes of the storage."""
        return self._flat.untyped_storage().nbytes()

    def write(self, slots: Slots, rows: Tensor) -> None:
        """Put tokens [N, K * D] into ``slots``."""
        if isinstance(slots, Tensor) or self._writable is not self._flat:
            rows = rows.to(self.dtype)
        if self._writable is not self._flat:
            rows = rows.view(torch.uint8)
        if self._innermost:
            rows = rows.t()
        if isinstance(slots, Tensor):
            self._writable.index_copy_(self._axis, slots, rows)
        else:
            self._run(self._writable, slots).copy_(rows)

    def read(self, slots: Slots) -> Tensor:
        """Return the tokens in ``slots``, [K, N, D]."""
        if isinstance(slots, Tensor):
            found = self._writable.index_select(self._axis, slots).view(self.dtype)
        else:
            found = self._run(self._flat, slots)
        if self._innermost:
            return found.view(self._heads, self._width, -1).mT
        return found.view(-1, self._heads, self._width).transpose(0, 1)

    def _run(self, flat: Tensor, slots: slice) -> Tensor:
        return flat.narrow(self._axis, slots.start, slots.stop - slots.start)

    def gathering(self, plan: Sequence[RowPlan], scratch: Tensor) -> Gathering:
        """Return how rows of n blocks each go into ``scratch``, flat and as large as all of them.

        It holds for every storage of the same sizes.
        """
        batch, count = len(plan), plan[0].count
        tokens = count * self._block_size
        if self._innermost:
            rows, axis = scratch.view(batch, -1, count, self._block_size), 1
            held = rows.view(batch, self._heads, self._width, tokens).mT
        else:
            rows, axis = scratch.view(batch, count, -1), 0
            held = rows.view(batch, tokens, self._heads, self._width).transpose(1, 2)
        pairs = zip(plan, rows, strict=True)
        return Gathering(tuple(t for row, out in pairs for t in row.targets(out, axis)), held)

    def gather(self, into: Gathering) -> None:
        """Copy the blocks to where they are read."""
        for target in into.targets:
            target.fill(self._blocks)

    def copy_block(self, old: int, new: int) -> None:
        """Copy one block into another."""
        blocks = self.blocks
        blocks[new].copy_(blocks[old])
