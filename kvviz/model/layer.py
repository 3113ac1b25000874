"""One layer's arithmetic, on parameters looked up once.

A step's rows are kept flat, [B * T, C]: on a small model each extra view costs as much as a sum.
"""

import torch
from torch import Tensor, nn

from kvviz.model.architecture import Architecture, HeadNorm, Residual
from kvviz.model.attention import Scoring
from kvviz.model.rope import Turn
from kvviz.model.rows import Products, Rows, added, affine, feed_forward, norm, rms
from kvviz.sizing.shape import ModelShape

# B batch, T tokens fed, C hidden size, H query heads, K KV heads, D head width.


class Layer:
    """Attention and feed-forward, each added back to what it was fed.

    ``scoring`` is how its queries score keys, ``rope`` which rotation turns them: 0 for the
    model's, 1 for the local one.
    """

    def __init__(
        self,
        block: nn.Module,
        shape: ModelShape,
        architecture: Architecture,
        window: int,
        products: Products,
    ) -> None:
        self.scoring = Scoring(shape.scale, window, shape.score_cap)
        self.rope = 1 if window and architecture.local_rope else 0
        heads, kv_heads = shape.num_heads, shape.num_kv_heads
        self._three = (heads, kv_heads, kv_heads)
        self._turning, self._two = (heads + kv_heads, kv_heads), (heads, kv_heads)
        self._all_heads, self._head_dim = heads + 2 * kv_heads, shape.head_dim
        self._heads_width = heads * shape.head_dim
        self._parallel = architecture.residual is Residual.PARALLEL
        parts, offset = dict(block.named_modules()), architecture.norm_offset
        norms = {
            name: norm(parts[name], offset) if name in parts else None
            for name in ("attn_norm", "attn_post_norm", "ffn_norm", "ffn_post_norm")
        }
        projections = [parts[f"attn.{name}"] for name in ("q_proj", "k_proj", "v_proj")]
        self._qkv = affine(*projections, products=products, first=norms["attn_norm"])
        self._norm_rows, self._norm_heads = _head_norms(parts, shape, architecture)
        self._plain = self._norm_rows is None and self._norm_heads is None
        self._inner, down = feed_forward(
            parts["ffn"], architecture.activation, norms["ffn_norm"], products
        )
        self._add_out = added(parts["attn.out"], norms["attn_post_norm"], products)
        self._add_down = added(down, norms["ffn_post_norm"], products)

    def project(self, x: Tensor, fed: int, turn: Turn | None) -> tuple[Tensor, Tensor, Tensor]:
        """Return q [B, H, T, D], k and v [B, K, T, D] of the rows x [B * T, C]."""
        rows = self._qkv(x)
        if self._plain and turn is None:
            q, k, v = self._heads(rows, fed).split_with_sizes(self._three, 1)
            return q, k, v
        if self._norm_rows is not None:
            rows = self._norm_rows(rows)
        both, v = self._heads(rows, fed).split_with_sizes(self._turning, 1)
        if self._norm_heads is not None:
            both = self._norm_heads(both)
        if turn is not None:
            both = turn(both)
        q, k = both.split_with_sizes(self._two, 1)
        return q, k, v

    def finish(self, x: Tensor, out: Tensor) -> Tensor:
        """Add the heads' out [B, H, T, D] and the feed-forward to the rows x [B * T, C]."""
        if out.size(2) > 1:
            out = out.transpose(1, 2)
        rows = out.reshape(-1, self._heads_width)
        if self._parallel:
            return self._add_out(self._add_down(x, self._inner(x)), rows)
        x = self._add_out(x, rows)
        return self._add_down(x, self._inner(x))

    def _heads(self, rows: Tensor, fed: int) -> Tensor:
        """Return the heads of q, k and v behind one another, [B, H + 2 K, T, D]."""
        if fed == 1:
            return rows.view(-1, self._all_heads, 1, self._head_dim)
        return rows.view(-1, fed, self._all_heads, self._head_dim).transpose(1, 2)


def _head_norms(
    parts: dict[str, nn.Module], shape: ModelShape, architecture: Architecture
) -> tuple[Rows | None, Rows | None]:
    """Return the norm of q and k as rows [N, (H + 2 K) D], and as heads [B, H + K, T, D]."""
    heads, kv_heads, offset = shape.num_heads, shape.num_kv_heads, architecture.norm_offset
    if architecture.head_norm is HeadNorm.NONE:
        return None, None
    if architecture.head_norm is HeadNorm.EACH:
        q, k = (
            parts[f"attn.{name}"].get_parameter("weight").detach() for name in ("q_norm", "k_norm")
        )
        weights = torch.cat((q.expand(heads, 1, -1), k.expand(kv_heads, 1, -1)))
        return None, rms(weights, architecture.norm_eps, offset)
    q_norm, k_norm = (norm(parts[f"attn.{name}"], offset) for name in ("q_norm", "k_norm"))
    widths = [count * shape.head_dim for count in (heads, kv_heads, kv_heads)]

    def norm_rows(rows: Tensor) -> Tensor:
        q, k, v = rows.split_with_sizes(widths, 1)
        return torch.cat((q_norm(q), k_norm(k), v), dim=1)

    return norm_rows, None
