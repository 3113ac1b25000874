"""Causal attention over a cache."""

import math
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional

SCORES_AT_ONCE = 2**24  # that explicit attention holds, of all heads together

# B batch, H query heads, K KV heads, G = H / K, T query tokens, S held keys, D head width.


@dataclass(frozen=True, slots=True)
class Scoring:
    """How a query scores a key: q k ``scale``, of the last ``window`` keys it sees, 0 for all.

    Scores s become c * tanh(s / c) with ``cap`` c, 0 leaves them.
    """

    scale: float
    window: int = 0
    cap: float = 0.0


class Attend(Protocol):
    """A way to compute attention, as ``attend`` says it."""

    def __call__(
        self,
        q: Tensor,
        keys: Tensor,
        values: Tensor,
        scoring: Scoring,
        mask: Tensor | None = None,
    ) -> Tensor:
        """Return [B, H, T, D]."""


def attend(
    q: Tensor,
    keys: Tensor,
    values: Tensor,
    scoring: Scoring,
    mask: Tensor | None = None,
) -> Tensor:
    """Attend from q [B, H, T, D], the last T tokens, over keys and values [B, K, S, D].

    Query i sees the keys up to S - T + i, as many as its window has.  A cache whose keys lie
    otherwise says with ``mask``, booleans [B or 1, 1, T, S], which of them each query sees.
    Returns [B, H, T, D].  K and V are never expanded.
    """
    scale, window, cap = scoring.scale, scoring.window, scoring.cap
    rows, held = q.size(2), keys.size(2)
    if mask is not None:
        if window:
            mask = mask & causal_mask(rows, held, q.device, window)
        if cap:
            return _capped(q, keys, values, scale, mask, cap)
        return _rows(q, keys, values, scale, mask)
    if 0 < window < held:
        # Keys that no query sees are not read.
        seen = min(held, window + rows - 1)
        keys, values = keys.narrow(2, held - seen, seen), values.narrow(2, held - seen, seen)
        held = seen
    if cap:
        return _capped(q, keys, values, scale, causal_mask(rows, held, q.device, window), cap)
    if rows == 1:
        return _one_row(q, keys, values, scale)
    whole = rows == held and not 0 < window < rows
    visible = None if whole else causal_mask(rows, held, q.device, window)
    return _rows(q, keys, values, scale, visible)


def _one_row(q: Tensor, keys: Tensor, values: Tensor, scale: float) -> Tensor:
    """One query sees every key, so a group's heads are rows of one unmasked product."""
    heads, kv_heads = q.size(1), keys.size(1)
    rows = q if heads == kv_heads else q.reshape(-1, kv_heads, heads // kv_heads, q.size(3))
    if keys.stride(3) == 1:
        out = functional.scaled_dot_product_attention(rows, keys, values, scale=scale)
    else:  # a long cache, whose tokens lie innermost for exactly these products
        out = ((rows * scale) @ keys.mT).softmax(-1) @ values
    return out if heads == kv_heads else out.reshape(q.shape)


def _rows(q: Tensor, keys: Tensor, values: Tensor, scale: float, visible: Tensor | None) -> Tensor:
    """Several queries: each sees the keys up to its own if ``visible`` is None."""
    batch, heads, rows, width = q.shape
    kv_heads, held = keys.shape[1], keys.shape[2]
    group = heads // kv_heads
    # A long cache keeps its tokens innermost, which is slow here.
    keys, values = keys.contiguous(), values.contiguous()
    if group > 1:
        # [B, K, ...] becomes the batch and the group the heads, with one K and V shared by stride.
        q = q.reshape(batch * kv_heads, group, rows, width)
        shared = (batch * kv_heads, group, held, width)
        keys = keys.flatten(0, 1).unsqueeze(1).expand(shared)
        values = values.flatten(0, 1).unsqueeze(1).expand(shared)
        if visible is not None and visible.dim() == 4 and len(visible) > 1:
            visible = visible.repeat_interleave(kv_heads, dim=0)
    out = functional.scaled_dot_product_attention(
        q,
        keys,
        values,
        attn_mask=visible,
        is_causal=visible is None,
        scale=scale,
    )
    return out.reshape(batch, heads, rows, width)


def _capped(
    q: Tensor, keys: Tensor, values: Tensor, scale: float, visible: Tensor, cap: float
) -> Tensor:
    """Score, cap, mask and weigh one after the other, some queries at a time."""
    batch, heads, rows, width = q.shape
    kv_heads, held = keys.shape[1], keys.shape[2]
    hidden = visible.logical_not()
    wide = torch.promote_types(q.dtype, torch.float32)
    step = max(1, SCORES_AT_ONCE // (batch * heads * held))
    parts = []
    for first in range(0, rows, step):
        part = q[:, :, first : first + step]
        # A group's queries are rows of one product, so K and V are shared.
        grouped = part.reshape(batch, kv_heads, -1, width)
        scores = ((grouped * (scale / cap)) @ keys.mT).tanh_().mul_(cap)
        scores.view(*part.shape[:3], held).masked_fill_(
            hidden[..., first : first + step, :], -math.inf
        )
        weights = scores.softmax(-1, dtype=wide).to(values.dtype)
        parts.append((weights @ values).view(part.shape))
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=2)


def causal_mask(rows: int, held: int, device: torch.device, window: int = 0) -> Tensor:
    """Return [T, S] booleans: True where query i may see the key."""
    every = torch.ones(rows, held, dtype=torch.bool, device=device)
    mask = every.tril_(diagonal=held - rows)
    return mask.triu_(diagonal=held - rows - window + 1) if window else mask
