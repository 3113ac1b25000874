"""One layer's arithmetic, on parameters looked up once.

On a small model a module's call and each extra view cost as much as the sums, so a step's rows
are kept flat, [B * T, C], and the layer holds plain tensors.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from kvviz.model.rope import Angles, rotate
from kvviz.sizing.shape import ModelShape

# B batch, T tokens fed, C hidden size, H query heads, K KV heads, D head width.

Rows = Callable[[Tensor], Tensor]

SQRT_HALF = 0.5**0.5
FEW_ROWS = 16  # oneDNN's float32 GELU takes longer to start than these rows take


class Layer:
    """Attention and feed-forward, each behind its LayerNorm, each added back."""

    def __init__(self, block: nn.Module, shape: ModelShape) -> None:
        self._num_heads, self._num_kv_heads = shape.num_heads, shape.num_kv_heads
        self._head_dim, self._hidden_size = shape.head_dim, shape.hidden_size
        parts = dict(block.named_modules())
        self._attn_norm, self._ffn_norm = norm(parts["attn_norm"]), norm(parts["ffn_norm"])
        self._q, self._k, self._v, self._out = (
            affine(parts[f"attn.{name}"]) for name in ("q_proj", "k_proj", "v_proj", "out")
        )
        self._up, self._down = affine(parts["ffn.0"]), affine(parts["ffn.2"])

    def project(self, x: Tensor, fed: int, angles: Angles | None) -> tuple[Tensor, Tensor, Tensor]:
        """Return q [B, H, T, D], k and v [B, K, T, D] of the rows x [B * T, C]."""
        y = self._attn_norm(x)
        q = self._heads(self._q(y), fed, self._num_heads)
        k = self._heads(self._k(y), fed, self._num_kv_heads)
        v = self._heads(self._v(y), fed, self._num_kv_heads)
        if angles is not None:
            q, k = rotate(q, angles), rotate(k, angles)
        return q, k, v

    def finish(self, x: Tensor, out: Tensor) -> Tensor:
        """Add the heads' out [B, H, T, D], then the feed-forward, to the rows x [B * T, C]."""
        if out.shape[2] > 1:
            out = out.transpose(1, 2)
        x = x + self._out(out.reshape(-1, self._hidden_size))
        return x + self._down(gelu(self._up(self._ffn_norm(x))))

    def _heads(self, rows: Tensor, fed: int, heads: int) -> Tensor:
        if fed == 1:
            return rows.view(-1, heads, 1, self._head_dim)
        return rows.view(-1, fed, heads, self._head_dim).transpose(1, 2)


def gelu(x: Tensor) -> Tensor:
    """Return x times the normal distribution's share below it (the exact form)."""
    if x.shape[0] <= FEW_ROWS and x.dtype == torch.float32 and x.is_cpu:
        half = x * 0.5
        return torch.addcmul(half, half, torch.erf(x * SQRT_HALF))
    return functional.gelu(x)


def affine(module: nn.Module) -> Rows:
    """Return what a linear module with bias does to rows [N, in]: rows [N, out]."""
    assert isinstance(module, nn.Linear)
    weight, bias = module.weight.detach().t(), module.bias.detach()
    return lambda rows: torch.addmm(bias, rows, weight)


def norm(module: nn.Module) -> Rows:
    """Return what a LayerNorm does to rows [N, C]."""
    assert isinstance(module, nn.LayerNorm)
    size, eps = list(module.normalized_shape), module.eps
    weight, bias = module.weight.detach(), module.bias.detach()
    return lambda rows: torch.layer_norm(rows, size, weight, bias, eps)
