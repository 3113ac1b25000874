"""Causal attention over a cache."""

import torch
from torch import Tensor
from torch.nn import functional

# B batch, H query heads, K KV heads, G = H / K, T query tokens, S held keys, D head width.


def attend(q: Tensor, keys: Tensor, values: Tensor, scale: float) -> Tensor:
    """Attend from q [B, H, T, D], the last T tokens, over keys and values [B, K, S, D].

    Query i sees the keys 0 ... S - T + i.  Returns [B, H, T, D].  K and V are never expanded.
    """
    if q.shape[2] == 1:
        return _one_row(q, keys, values, scale)
    return _rows(q, keys, values, scale)


def _one_row(q: Tensor, keys: Tensor, values: Tensor, scale: float) -> Tensor:
    """One query sees every key, so a group's heads are rows of one unmasked product."""
    heads, kv_heads = q.shape[1], keys.shape[1]
    rows = q if heads == kv_heads else q.reshape(-1, kv_heads, heads // kv_heads, q.shape[3])
    if keys.stride(3) == 1:
        out = functional.scaled_dot_product_attention(rows, keys, values, scale=scale)
    else:  # a long cache, whose tokens lie innermost for exactly these products
        out = ((rows * scale) @ keys.mT).softmax(-1) @ values
    return out if heads == kv_heads else out.reshape(q.shape)


def _rows(q: Tensor, keys: Tensor, values: Tensor, scale: float) -> Tensor:
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
    out = functional.scaled_dot_product_attention(
        q,
        keys,
        values,
        attn_mask=None if rows == held else causal_mask(rows, held, q.device),
        is_causal=rows == held,
        scale=scale,
    )
    return out.reshape(batch, heads, rows, width)


def causal_mask(rows: int, held: int, device: torch.device) -> Tensor:
    """Return [T, S] booleans: True where query i may see the key."""
    every = torch.ones(rows, held, dtype=torch.bool, device=device)
    return every.tril(diagonal=held - rows)
