"""Attention spelled out, for teaching: whole, and tile by tile."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from kvviz.model.attention import Attend, Scoring, attend, causal_mask
from kvviz.sizing.kernel import Kernel

# B batch, H query heads, K KV heads, G = H / K, T query tokens, S held keys, D head width.


def attention_of(kernel: Kernel, tile: int) -> Attend:
    """Return a kernel; ``tile`` is the side of a tile in tokens."""
    match kernel:
        case Kernel.SDPA:
            return attend
        case Kernel.EAGER:
            return attend_eager
        case Kernel.BLOCKWISE:
            return blockwise(tile)


def attend_eager(
    q: Tensor,
    keys: Tensor,
    values: Tensor,
    scoring: Scoring,
    mask: Tensor | None = None,
) -> Tensor:
    """Do as ``attend`` does, with every score of every head in memory at once."""
    visible = _visible(q, keys, scoring.window, mask)
    scores = _scores(_grouped(q, keys), keys, scoring)
    weights = scores.masked_fill(~visible, -math.inf).softmax(-1)
    return (weights.to(values.dtype) @ values.unsqueeze(2)).view(q.shape)


def blockwise(size: int, visit: Callable[[int, int], None] | None = None) -> Attend:
    """Return attention over tiles of ``size`` queries by ``size`` keys, with a running softmax.

    Of a row of scores only a tile's part is ever there; ``visit(row, key)`` is told of each tile
    that is computed, by the first query and key in it.
    """

    def attend_blockwise(
        q: Tensor,
        keys: Tensor,
        values: Tensor,
        scoring: Scoring,
        mask: Tensor | None = None,
    ) -> Tensor:
        visible = _visible(q, keys, scoring.window, mask)
        grouped, out = _grouped(q, keys), torch.empty_like(q)
        held = keys.shape[2]
        # Tiles begin where they do in the sequence, not at the first query of this step.
        row, first = 0, held - q.shape[2]
        while row < q.shape[2]:
            end = min(q.shape[2], row + size - (first + row) % size)
            running = _Running(grouped[:, :, :, row:end])
            for key in range(0, held, size):
                seen = visible[..., row:end, key : key + size]
                if not seen.any():
                    continue
                if visit is not None:
                    visit(row, key)
                part = slice(key, key + size)
                running.add(keys[:, :, part], values[:, :, part], seen, scoring)
            out[:, :, row:end] = running.result().flatten(1, 2)
            row = end
        return out

    return attend_blockwise


@dataclass(slots=True, init=False)
class _Running:
    """Softmax over keys that come a tile at a time: largest score, sum of weights, weighted sum."""

    q: Tensor
    largest: Tensor
    total: Tensor
    mixed: Tensor

    def __init__(self, q: Tensor) -> None:
        wide = torch.promote_types(q.dtype, torch.float32)
        self.q = q
        self.largest = torch.full((*q.shape[:-1], 1), -math.inf, dtype=wide, device=q.device)
        self.total = torch.zeros_like(self.largest)
        self.mixed = torch.zeros(q.shape, dtype=wide, device=q.device)

    def add(self, keys: Tensor, values: Tensor, seen: Tensor, scoring: Scoring) -> None:
        """Take in keys and values [B, K, S, D] of which each query sees those ``seen``."""
        scores = _scores(self.q, keys, scoring).to(self.largest.dtype)
        scores.masked_fill_(~seen, -math.inf)
        largest = torch.maximum(self.largest, scores.amax(-1, keepdim=True))
        # A row that has seen nothing yet has no largest score; any number will do for it.
        shift = largest.masked_fill(largest == -math.inf, 0)
        weights = (scores - shift).exp_()
        shrink = (self.largest - shift).exp_()
        self.total = self.total * shrink + weights.sum(-1, keepdim=True)
        self.mixed = self.mixed * shrink + weights @ values.unsqueeze(2).to(weights.dtype)
        self.largest = largest

    def result(self) -> Tensor:
        """Return what the queries mixed, [B, K, G, T, D]."""
        return (self.mixed / self.total).to(self.q.dtype)


class Compared:
    """A kernel held against eager attention at every call.

    ``gap`` is the largest absolute difference so far; ``spent_ns`` is what comparing took, which
    is no part of the kernel's own time.
    """

    def __init__(self, kernel: Attend, clock: Callable[[], int]) -> None:
        self.gap, self.spent_ns = 0.0, 0
        self._kernel, self._clock = kernel, clock

    def __call__(
        self,
        q: Tensor,
        keys: Tensor,
        values: Tensor,
        scoring: Scoring,
        mask: Tensor | None = None,
    ) -> Tensor:
        """Return what the kernel returns."""
        out = self._kernel(q, keys, values, scoring, mask)
        begin = self._clock()
        whole = attend_eager(q, keys, values, scoring, mask)
        self.gap = max(self.gap, float((out - whole).abs().max()))
        self.spent_ns += self._clock() - begin
        return out


def _grouped(q: Tensor, keys: Tensor) -> Tensor:
    """Return q as [B, K, G, T, D], so that a group's heads share keys."""
    return q.reshape(len(q), keys.shape[1], -1, *q.shape[2:])


def _scores(q: Tensor, keys: Tensor, scoring: Scoring) -> Tensor:
    scores, cap = (q * scoring.scale) @ keys.unsqueeze(2).mT, scoring.cap
    return (scores / cap).tanh_().mul_(cap) if cap else scores


def _visible(q: Tensor, keys: Tensor, window: int, mask: Tensor | None) -> Tensor:
    """Return which keys each query sees, [T, S] or [B, 1, 1, T, S]."""
    causal = causal_mask(q.shape[2], keys.shape[2], q.device, window)
    if mask is None:
        return causal
    return (mask & causal if window else mask)[:, :, None]
