"""Numbers as small integers with a scale for each group of them."""

import torch
from torch import Tensor


def quantise(x: Tensor, bits: int, group: int) -> tuple[Tensor, Tensor]:
    """Return codes, uint8 [..., D * bits / 8], and scales in x's dtype, [..., D / group].

    A group's largest number becomes the largest code, 127 or 7; every other is off by half a
    scale at most (and by what the scale itself lost in a narrow dtype).
    """
    most = 2 ** (bits - 1) - 1
    groups = x.reshape(*x.shape[:-1], x.shape[-1] // group, group)
    scales = groups.abs().amax(-1) / most
    # A group of zeros, or of numbers so small that their scale is none, is all zeros.
    divisor = torch.where(scales > 0, scales, 1).unsqueeze(-1)
    wide = torch.promote_types(x.dtype, torch.float32)
    codes = (groups.to(wide) / divisor.to(wide)).round().clamp(-most, most).to(torch.int8)
    flat = codes.flatten(-2)
    if bits == 8:
        return flat.view(torch.uint8), scales
    low, high = (flat + 8).to(torch.uint8).chunk(2, dim=-1)
    return low | (high << 4), scales


def dequantise(codes: Tensor, scales: Tensor, bits: int, out: Tensor) -> None:
    """Write the numbers that codes and scales stand for into ``out`` [..., D]."""
    if bits == 8:
        out.copy_(codes.view(torch.int8))
    else:
        low, high = out.chunk(2, dim=-1)
        low.copy_(codes & 15).sub_(8)
        high.copy_(codes >> 4).sub_(8)
    groups = scales.shape[-1]
    out.view(*out.shape[:-1], groups, out.shape[-1] // groups).mul_(scales.unsqueeze(-1))
