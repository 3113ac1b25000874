"""What the model asks of a cache, whatever way it is kept."""

from typing import Protocol

import torch
from torch import Tensor

from kvviz.sizing.layout import CacheBytes


class KVCache(Protocol):
    """Keys and values of all layers.  B batch, K KV heads, T new tokens, S held tokens, D width.

    One forward calls ``update`` once a layer, in order; ``finish_step`` then ends the step.
    """

    @property
    def seq_len(self) -> int:
        """Tokens held per sequence, those of an unfinished step not counted."""

    def update(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Keep ``k`` and ``v``, each [B, K, T, D]; return all keys and values, [B, K, S, D].

        They come back in the dtype of ``k``, as they are read from what is stored.
        """

    def newest(self, count: int) -> Tensor:
        """Return the step's last ``count`` tokens of batch row 0: [L * 2, K, T, D], k before v.

        They are what is stored; the caller copies what it wants to keep.
        """

    def finish_step(self) -> CacheBytes:
        """End a step: count its tokens, let go of what only the step needed.

        Returns bytes read off the tensors that were alive at the end of the forward.
        """


def stacked_rows(pairs: list[tuple[Tensor, Tensor]], count: int) -> Tensor:
    """Return the last ``count`` tokens of batch row 0 of (k, v) pairs, [L * 2, K, T, D]."""
    held = pairs[0][0].shape[2]
    return torch.stack([tensor[0, :, held - count :] for pair in pairs for tensor in pair])
