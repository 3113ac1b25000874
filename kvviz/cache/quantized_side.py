"""Keys of all layers, or values, as codes with the newest tokens kept whole."""

import torch
from torch import Tensor

from kvviz.cache.codes import dequantise, quantise
from kvviz.sizing.layout import CacheLayout
from kvviz.sizing.shape import ModelShape


class QuantizedSide:
    """Codes [L, B, K, tokens, bytes] and scales [L, B, K, tokens, groups], each written once.

    The last ``residual`` tokens lie whole in a ring, [L, B, K, residual, D]; a token that leaves
    it is quantised then.
    """

    def __init__(
        self,
        layout: CacheLayout,
        shape: ModelShape,
        *,
        batch: int,
        max_seq_len: int,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        width = shape.head_dim
        self.residual = min(layout.residual, max_seq_len)
        self._bits, self._group = layout.bits, layout.group_of(width)
        rows = (shape.num_layers, batch, shape.num_kv_heads)
        coded = max_seq_len - self.residual

        def room(tokens: int, elements: int, kind: torch.dtype) -> Tensor:
            return torch.empty((*rows, tokens, elements), dtype=kind, device=device)

        self._codes = room(coded, width * self._bits // 8, torch.uint8)
        self._scales = room(coded, width // self._group, dtype)
        self._ring = room(self.residual, width, dtype)

    @property
    def tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        """What is kept: codes, scales, whole tokens."""
        return self._codes, self._scales, self._ring

    @property
    def dtype(self) -> torch.dtype:
        """That of scales, of the whole tokens, and of what is read."""
        return self._ring.dtype

    def coded(self, seq_len: int) -> int:
        """Return how many of ``seq_len`` tokens are codes."""
        return max(0, seq_len - self.residual)

    def write(self, layer: int, new: Tensor, before: int) -> Tensor:
        """Keep tokens [B, K, T, D] behind ``before`` others; return row 0's errors, [tokens].

        They are of the tokens that became codes: the length of what was lost, relative to the
        token's own.
        """
        after = before + new.shape[2]
        first, last = self.coded(before), self.coded(after)
        leaving = torch.cat(
            (self._whole(layer, first, min(last, before)), new[:, :, : max(0, last - before)]), 2
        ).to(self.dtype)
        codes, scales = quantise(leaving, self._bits, self._group)
        self._codes[layer, :, :, first:last] = codes
        self._scales[layer, :, :, first:last] = scales
        kept = range(max(before, last), after)
        if kept:
            slots = torch.tensor([i % self.residual for i in kept], device=new.device)
            rows = new[:, :, kept.start - before :].to(self.dtype)
            self._ring[layer].index_copy_(2, slots, rows)
        return self._errors(layer, leaving[0], first)

    def read(self, layer: int, seq_len: int, out: Tensor) -> Tensor:
        """Write all ``seq_len`` tokens into ``out`` [B, K, S, D] and return it."""
        coded = self.coded(seq_len)
        codes, scales = self._codes[layer, :, :, :coded], self._scales[layer, :, :, :coded]
        dequantise(codes, scales, self._bits, out[:, :, :coded])
        out[:, :, coded:] = self._whole(layer, coded, seq_len)
        return out

    def row(self, layer: int, start: int, end: int) -> Tensor:
        """Return tokens of batch row 0 as they are read, [K, T, D]."""
        split = min(end, max(start, self.coded(end)))
        whole = self._whole(layer, split, end)[0]
        coded = whole.new_empty((len(whole), split - start, whole.shape[2]))
        self._decode(layer, start, split, coded)
        return torch.cat((coded, whole), dim=1)

    def _decode(self, layer: int, start: int, end: int, out: Tensor) -> None:
        codes, scales = (side[layer, 0, :, start:end] for side in (self._codes, self._scales))
        dequantise(codes, scales, self._bits, out)

    def _whole(self, layer: int, start: int, end: int) -> Tensor:
        """Return tokens ``start`` to ``end`` out of the ring, [B, K, tokens, D]."""
        if start >= end:
            return self._ring[layer, :, :, :0]
        slots = [i % self.residual for i in range(start, end)]
        return self._ring[layer][:, :, slots]

    def _errors(self, layer: int, given: Tensor, first: int) -> Tensor:
        found = torch.empty_like(given)
        self._decode(layer, first, first + given.shape[1], found)
        lost, whole = ((found - given).float(), given.float())
        norms = [side.pow(2).sum(dim=(0, 2)).sqrt() for side in (lost, whole)]
        return norms[0] / norms[1].clamp_min(1e-30)
