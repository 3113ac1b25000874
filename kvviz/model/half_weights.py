"""Weights that are multiplied out of half their bytes.

On a CPU a few rows wait for a weight's bytes, not for the sums with them.  A number that float16
holds exactly, as those of float16 files are, is the same when it is widened again; FBGEMM does so
in the registers, and sums in float32.
"""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

from kvviz.model.rows import FEW_ROWS, Product, plain

MOST_BYTES = 2 * 2**20  # of one weight: a larger one is worth several threads, FBGEMM uses one
MOST_KEPT_BYTES = 32 * 2**20  # of all halves together

Pack = Callable[[Tensor], Tensor]
Multiply = Callable[[Tensor, Tensor, Tensor | None], Tensor]


class HalfWeights:
    """Makes products, those of small weights with a packed copy, as long as there is room."""

    def __init__(self) -> None:
        self._left = MOST_KEPT_BYTES

    def product(self, weight: Tensor) -> Product:
        """Return what multiplies rows with ``weight`` [in, out]."""
        whole, kernels = plain(weight), fbgemm_kernels()
        if kernels is None or not self._takes(weight):
            return whole
        self._left -= weight.nbytes // 2
        pack, multiply = kernels
        packed = pack(weight.t().contiguous())

        def product(rows: Tensor, plus: Tensor | None) -> Tensor:
            if rows.size(0) > FEW_ROWS:
                return whole(rows, plus)
            if plus is None or plus.dim() == 1:
                return multiply(rows, packed, plus)
            return multiply(rows, packed, None).add_(plus)

        return product

    def _takes(self, weight: Tensor) -> bool:
        """Whether the weight has a place here and is the same numbers in float16."""
        small = weight.nbytes <= min(MOST_BYTES, 2 * self._left)
        if not small or not weight.is_cpu or weight.dtype is not torch.float32:
            return False
        half = weight.half()
        return torch.equal(half.float(), weight) and bool(half.isfinite().all())


@cache
def fbgemm_kernels() -> tuple[Pack, Multiply] | None:
    """Return what packs a weight [out, in] and what multiplies rows with it; None if torch cannot.

    torch says that it will drop them, and only builds for x86 have them; no other of its products
    reads float16 and sums in float32.
    """
    names = "fbgemm_pack_gemm_matrix_fp16", "fbgemm_linear_fp16_weight_fp32_activation"
    kernels: Any = tuple(getattr(torch, name, None) for name in names)
    if None in kernels:
        return None
    pack, multiply = kernels
    one = torch.ones(1, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says so once, so others miss theirs for this once only
        try:
            multiply(one, pack(one), None)
        except (RuntimeError, TypeError):
            return None
    return pack, multiply
