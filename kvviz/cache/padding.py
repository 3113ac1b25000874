"""Rows of unequal lengths, padded at their beginning."""

from collections.abc import Sequence

import torch
from torch import Tensor


def padded_mask(pads: Sequence[int], fed: int, held: int, device: torch.device) -> Tensor | None:
    """Return the mask [B, 1, T, S] that hides padding from what is no padding; None without pads.

    Padding sees itself, for a row of scores must not be empty; nobody reads what comes of it.
    """
    if not pads:
        return None
    keys = torch.arange(held, device=device)
    queries = torch.arange(held - fed, held, device=device)[:, None]
    begin = torch.tensor(pads, device=device)[:, None, None]
    visible = (keys <= queries) & (keys >= begin)
    return (visible | (keys == queries))[:, None]


def live_tokens(pads: Sequence[int], batch: int, seq_len: int) -> list[int]:
    """Return each row's tokens without its padding, of ``seq_len`` places."""
    return [max(0, seq_len - pad) for pad in pads or (0,) * batch]
