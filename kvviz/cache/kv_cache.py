"""What the model asks of a cache, whatever way it is kept."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from kvviz.sizing.layout import CacheBytes

Pair = tuple[Tensor, Tensor]


class Dtypes(NamedTuple):
    """What K and V are stored in."""

    k: torch.dtype
    v: torch.dtype


class KVCache(Protocol):
    """Keys and values of all layers.  B batch, K KV heads, T new tokens, S held tokens, D width.

    One forward asks for the ``mask``, calls ``update`` once a layer, in order; ``finish_step``
    then ends the step.  Rows of unequal lengths end together: row b begins ``pads[b]`` places
    later than the longest, and what is fed to it there is padding.
    """

    @property
    def seq_len(self) -> int:
        """Tokens seen by the longest sequence, those of an unfinished step not counted."""

    @property
    def pads(self) -> Sequence[int]:
        """How many places each row begins late; empty if no row does."""

    def mask(self, fed: int, device: torch.device) -> Tensor | None:
        """Return which of the keys that ``update`` will return each of ``fed`` queries may see.

        Booleans [B or 1, 1, T, S]; None where query i sees just the keys 0 ... S - T + i.
        """

    def update(self, layer: int, k: Tensor, v: Tensor) -> Pair:
        """Keep ``k`` and ``v``, each [B, K, T, D]; return what attention reads, [B, K, S, D].

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

    def release(self) -> None:
        """End the request: give back its storage, or its blocks, at once.  Nothing may follow."""


def stacked_rows(pairs: Sequence[Pair], count: int) -> Tensor:
    """Return the last ``count`` tokens of batch row 0 of (k, v) pairs, [L * 2, K, T, D]."""
    held = pairs[0][0].shape[2]
    return stacked([tensor[0, :, held - count :] for pair in pairs for tensor in pair])


def stacked(rows: Sequence[Tensor]) -> Tensor:
    """Return tensors of one shape as one, in float32 where their dtypes differ."""
    if rows[0].dtype == rows[-1].dtype:
        return torch.stack(list(rows))
    return torch.stack([row.float() for row in rows])


def storage_bytes(tensors: Sequence[Tensor]) -> int:
    """Bytes of the storages behind tensors that share none."""
    return sum(tensor.untyped_storage().nbytes() for tensor in tensors)


def read_as(dtype: torch.dtype, keys: Tensor, values: Tensor) -> Pair:
    """Return keys and values in the dtype that attention computes in."""
    if keys.dtype == values.dtype == dtype:
        return keys, values
    return keys.to(dtype), values.to(dtype)
