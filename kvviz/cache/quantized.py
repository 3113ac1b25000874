"""A cache of small integers: int8 or int4 codes and their scales."""

from collections.abc import Sequence

import torch
from torch import Tensor

from kvviz.cache.kv_cache import Dtypes, Pair, read_as, stacked, storage_bytes
from kvviz.cache.padding import live_tokens, padded_mask
from kvviz.cache.quantized_side import QuantizedSide
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheBytes, CacheLayout
from kvviz.sizing.shape import ModelShape


class QuantizedCache:
    """Each token is quantised once, as it leaves the residual, and appended; none ever again.

    Attention reads a scratch of one layer, [B, K, S, D] in the dtype of scales, filled anew from
    the codes; it is there from a step's first layer to its end.
    """

    def __init__(
        self,
        layout: CacheLayout,
        shape: ModelShape,
        *,
        batch: int,
        max_seq_len: int,
        dtypes: Dtypes,
        device: torch.device,
        pads: Sequence[int] = (),
    ) -> None:
        self.seq_len = 0
        self.pads = pads
        self._batch, self._max_seq_len = batch, max_seq_len
        self._sides = [
            QuantizedSide(
                layout, shape, batch=batch, max_seq_len=max_seq_len, dtype=dtype, device=device
            )
            for dtype in dtypes
        ]
        self._layers = shape.num_layers
        self._scratch: Pair | None = None
        self._errors: list[Tensor] = []
        self._end = 0

    @property
    def errors(self) -> Tensor:
        """What the step's quantising lost in batch row 0, [L * 2, tokens], k before v.

        For each token the length of the difference, relative to the token's own; no tokens where
        the step's all went into the residual.
        """
        padding = max(0, self.pads[0] - self._sides[0].coded(self.seq_len)) if self.pads else 0
        return torch.stack(self._errors)[:, padding:]

    def mask(self, fed: int, device: torch.device) -> Tensor | None:
        """Return what hides padding, [B, 1, T, S]."""
        return padded_mask(self.pads, fed, self.seq_len + fed, device)

    def update(self, layer: int, k: Tensor, v: Tensor) -> Pair:
        """Keep ``k`` and ``v``, each [B, K, T, D]; return all as their codes have them.

        Raises InputError where the limit is exceeded.
        """
        scratch = self._scratch or self._begin_step(k)
        read = []
        for side, new, out in zip(self._sides, (k, v), scratch, strict=True):
            self._errors.append(side.write(layer, new, self.seq_len))
            read.append(side.read(layer, self._end, out))
        return read_as(k.dtype, *read)

    def newest(self, count: int) -> Tensor:
        """Return batch row 0's last ``count`` tokens as they are read, [L * 2, K, T, D]."""
        start, end = self._end - count, self._end
        layers = range(self._layers)
        return stacked([side.row(layer, start, end) for layer in layers for side in self._sides])

    def finish_step(self) -> CacheBytes:
        """Measure codes, scales, residual and scratch; let go of the scratch."""
        scratch = storage_bytes(self._scratch or ())
        self._scratch, self.seq_len = None, self._end
        self._errors.clear()
        lengths = live_tokens(self.pads, self._batch, self.seq_len)
        used = reserved = 0
        for side in self._sides:
            codes, scales, ring = side.tensors
            reserved += storage_bytes(side.tensors)
            whole = sum(min(length, side.residual) for length in lengths)
            used += (sum(lengths) - whole) * (_token(codes) + _token(scales)) + whole * _token(ring)
        return CacheBytes(used, reserved, peak=reserved + scratch)

    def release(self) -> None:
        """Let go of everything."""
        self._sides, self._scratch = [], None
        self._errors.clear()

    def _begin_step(self, k: Tensor) -> Pair:
        batch, heads, fed, width = k.shape
        self._end = self.seq_len + fed
        if self._end > self._max_seq_len:
            raise InputError(
                f"The cache has room for {self._max_seq_len:,} tokens and {self._end:,} were fed: "
                "raise the sequence limit."
            )
        size = (batch, heads, self._end, width)
        keys, values = (
            torch.empty(size, dtype=side.dtype, device=k.device) for side in self._sides
        )
        self._scratch = keys, values
        return self._scratch


def _token(tensor: Tensor) -> int:
    """Bytes of one token of one sequence, all layers, of [L, B, K, tokens, elements]."""
    layers, _, heads, _, elements = tensor.shape
    return layers * heads * elements * tensor.element_size()
