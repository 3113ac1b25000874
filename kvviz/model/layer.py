"""One layer's arithmetic, on parameters looked up once.

On a small model a module's call and each extra view cost as much as the sums, so a step's rows
are kept flat, [B * T, C], and the layer holds plain tensors.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from kvviz.model.rope import Turn
from kvviz.sizing.shape import ModelShape

# B batch, T tokens fed, C hidden size, H query heads, K KV heads, D head width.

Rows = Callable[[Tensor], Tensor]

# oneDNN's float32 GELU takes longer to start than so few rows take, and a number that is a tensor
# already multiplies in half the time of a float.
FEW_ROWS = 16
HALF = torch.tensor(0.5)
SQRT_HALF = torch.tensor(0.5**0.5)


class Layer:
    """Attention and feed-forward, each behind its LayerNorm, each added back."""

    def __init__(self, block: nn.Module, shape: ModelShape) -> None:
        self._split = (shape.num_heads, shape.num_kv_heads, shape.num_kv_heads)
        self._all_heads = sum(self._split)
        self._head_dim, self._hidden_size = shape.head_dim, shape.hidden_size
        parts = dict(block.named_modules())
        self._attn_norm, self._ffn_norm = norm(parts["attn_norm"]), norm(parts["ffn_norm"])
        self._qkv = affine(*(parts[f"attn.{name}"] for name in ("q_proj", "k_proj", "v_proj")))
        self._out = affine(parts["attn.out"])
        self._up, self._down = affine(parts["ffn.0"]), affine(parts["ffn.2"])

    def project(self, x: Tensor, fed: int, turn: Turn | None) -> tuple[Tensor, Tensor, Tensor]:
        """Return q [B, H, T, D], k and v [B, K, T, D] of the rows x [B * T, C]."""
        heads = self._heads(self._qkv(self._attn_norm(x)), fed)
        q, k, v = heads.split_with_sizes(self._split, 1)
        if turn is not None:
            q, k, _ = turn(heads).split_with_sizes(self._split, 1)
        return q, k, v

    def finish(self, x: Tensor, out: Tensor) -> Tensor:
        """Add the heads' out [B, H, T, D], then the feed-forward, to the rows x [B * T, C]."""
        if out.shape[2] > 1:
            out = out.transpose(1, 2)
        x = x + self._out(out.reshape(-1, self._hidden_size))
        return x + self._down(gelu(self._up(self._ffn_norm(x))))

    def _heads(self, rows: Tensor, fed: int) -> Tensor:
        """Return the heads of q, k and v behind one another, [B, H + 2 K, T, D]."""
        if fed == 1:
            return rows.view(-1, self._all_heads, 1, self._head_dim)
        return rows.view(-1, fed, self._all_heads, self._head_dim).transpose(1, 2)


def gelu(x: Tensor) -> Tensor:
    """Return x times the normal distribution's share below it (the exact form)."""
    if x.shape[0] <= FEW_ROWS and x.dtype == torch.float32 and x.is_cpu:
        half = x * HALF
        return torch.addcmul(half, half, torch.erf(x * SQRT_HALF))
    return functional.gelu(x)


def affine(*modules: nn.Module) -> Rows:
    """Return what linear modules with bias make of rows [N, in], side by side: [N, out]."""
    linears = [module for module in modules if isinstance(module, nn.Linear)]
    weight = joined([linear.weight.detach() for linear in linears]).t()
    bias = joined([linear.bias.detach() for linear in linears])
    return lambda rows: torch.addmm(bias, rows, weight)


def joined(parts: list[Tensor]) -> Tensor:
    """Return tensors as one, along the first axis; a view where they lie together in memory."""
    first, place = parts[0], parts[0].data_ptr()
    for part in parts:
        if part.data_ptr() != place or part.untyped_storage().data_ptr() != (
            first.untyped_storage().data_ptr()
        ):
            return torch.cat(parts)
        place += part.nbytes
    sizes = (sum(map(len, parts)), *first.shape[1:])
    return first.as_strided(sizes, first.stride())


def norm(module: nn.Module) -> Rows:
    """Return what a LayerNorm does to rows [N, C]."""
    assert isinstance(module, nn.LayerNorm)
    size, eps = list(module.normalized_shape), module.eps
    weight, bias = module.weight.detach(), module.bias.detach()
    return lambda rows: torch.layer_norm(rows, size, weight, bias, eps)
