"""The tokens of every row of a batch, padded at their beginning to one length."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from kvviz.trace.config import RunConfig

PADDING = 0  # an id like any other: what it is fed to is hidden by the cache's mask


class BatchRows:
    """Row 0 is the one recorded; the others are copies of it, or prompts of their own."""

    def __init__(self, config: RunConfig) -> None:
        self.pads = config.pads
        self._batch = config.batch
        prompts = config.prompts if config.more_prompts else config.prompts[:1]
        pads = self.pads or (0,) * len(prompts)
        self._rows = [[PADDING] * pad + list(ids) for pad, ids in zip(pads, prompts, strict=True)]

    def __len__(self) -> int:
        """Places, alike for all rows: the longest row's tokens."""
        return len(self._rows[0])

    @property
    def distinct(self) -> int:
        """How many rows choose their own tokens; copies take what row 0 chose."""
        return len(self._rows)

    @property
    def first_pad(self) -> int:
        """How many places row 0 begins late."""
        return self.pads[0] if self.pads else 0

    def ids(self, row: int, start: int = 0, end: int | None = None) -> tuple[int, ...]:
        """Return a row's tokens at places ``start`` to ``end``, padding left out."""
        pad = self.pads[row] if self.pads else 0
        return tuple(self._rows[row][max(start, pad) : end])

    def every(self) -> list[Sequence[int]]:
        """Return the tokens of every row of the batch, padding left out."""
        if len(self._rows) < self._batch:
            return [self._rows[0]] * self._batch
        return [self.ids(row) for row in range(self._batch)] if self.pads else [*self._rows]

    def fed(self, start: int, end: int, device: torch.device) -> Tensor:
        """Return what a forward is fed, [B, end - start]."""
        rows = [row[start:end] for row in self._rows]
        if len(rows) < self._batch:
            rows *= self._batch
        # Not torch.tensor: it takes ten times as long for so few numbers.
        return torch.from_numpy(np.array(rows, np.int64)).to(device)

    def append(self, chosen: Sequence[int]) -> None:
        """Add a token to each row."""
        for row, token_id in zip(self._rows, chosen, strict=True):
            row.append(token_id)

    def extend(self, ids: Sequence[int]) -> None:
        """Add the same text to each row."""
        for row in self._rows:
            row.extend(ids)
