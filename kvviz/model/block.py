"""The modules that hold one layer's weights; ``kvviz.model.layer`` computes with them."""

from torch import nn

from kvviz.model.architecture import Architecture, HeadNorm, Norm
from kvviz.sizing.shape import ModelShape


class Linear(nn.Linear):
    """A linear module without weights yet: drawing some that are replaced takes a while."""

    def __init__(self, width: int, rows: int, bias: bool) -> None:
        super().__init__(width, rows, bias, device="meta")

    def reset_parameters(self) -> None:
        """Leave them as they are."""


class Attention(nn.Module):
    """Projections of one layer's attention, and the norms of its queries and keys."""

    def __init__(self, shape: ModelShape, architecture: Architecture) -> None:
        super().__init__()
        hidden, width = shape.hidden_size, shape.head_dim
        q, kv = shape.num_heads * width, shape.num_kv_heads * width
        bias = architecture.qkv_bias
        self.q_proj = Linear(hidden, q, bias)
        self.k_proj = Linear(hidden, kv, bias)
        self.v_proj = Linear(hidden, kv, bias)
        self.out = Linear(q, hidden, architecture.out_bias)
        match architecture.head_norm:
            case HeadNorm.EACH:
                self.q_norm, self.k_norm = norm(width, architecture), norm(width, architecture)
            case HeadNorm.ALL:
                self.q_norm, self.k_norm = norm(q, architecture), norm(kv, architecture)


class GatedFeedForward(nn.Module):
    """Projections of a feed-forward whose one half is let through by the other."""

    def __init__(self, shape: ModelShape, bias: bool) -> None:
        super().__init__()
        self.gate = Linear(shape.hidden_size, shape.ffn_size, bias)
        self.up = Linear(shape.hidden_size, shape.ffn_size, bias)
        self.down = Linear(shape.ffn_size, shape.hidden_size, bias)


class Block(nn.Module):
    """One layer: attention and feed-forward, with norms before or behind them or both."""

    def __init__(self, shape: ModelShape, architecture: Architecture) -> None:
        super().__init__()
        hidden = shape.hidden_size
        if architecture.norm_before:
            self.attn_norm = norm(hidden, architecture)
        self.attn = Attention(shape, architecture)
        if architecture.norm_after:
            self.attn_post_norm = norm(hidden, architecture)
        if architecture.norm_before:
            self.ffn_norm = norm(hidden, architecture)
        self.ffn = _feed_forward(shape, architecture)
        if architecture.norm_after:
            self.ffn_post_norm = norm(hidden, architecture)


def norm(width: int, architecture: Architecture) -> nn.Module:
    """Return the architecture's norm of rows of ``width`` elements."""
    if architecture.norm is Norm.RMS:
        return nn.RMSNorm(width, architecture.norm_eps, device="meta")
    return nn.LayerNorm(width, architecture.norm_eps, device="meta")


def _feed_forward(shape: ModelShape, architecture: Architecture) -> nn.Module:
    if architecture.gated:
        return GatedFeedForward(shape, architecture.ffn_bias)
    # Only weights count here: what stands between them is the layer's to choose.
    return nn.Sequential(
        Linear(shape.hidden_size, shape.ffn_size, architecture.ffn_bias),
        nn.Identity(),
        Linear(shape.ffn_size, shape.hidden_size, architecture.ffn_bias),
    )
