"""The built-in model as it is trained: Llama's layout, written for gradients.

The app runs the weights in ``kvviz.model``, which is written for one token at a time.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from kvviz.training.recipe import Recipe

# B batch, T tokens, C hidden size, H query heads, K KV heads, D head width.


class Llama(nn.Module):
    """Token ids to logits; its state dict has Hugging Face's names under ``model.``."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(recipe.vocab_size, recipe.hidden_size)
        self.layers = nn.ModuleList(Block(recipe) for _ in range(recipe.num_layers))
        self.norm = nn.RMSNorm(recipe.hidden_size, eps=recipe.norm_eps)
        self.dropout = nn.Dropout(recipe.dropout)
        self.register_buffer("angles", _angles(recipe), persistent=False)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                shrink = (2 * recipe.num_layers) ** -0.5 if name.endswith(RESIDUAL) else 1.0
                nn.init.normal_(weight, std=0.02 * shrink)

    def forward(self, ids: Tensor) -> Tensor:
        """Return logits [B, T, V] of ids [B, T]; the head is the embedding."""
        angles = self.get_buffer("angles")[: ids.shape[1]]
        cos, sin = angles.cos(), angles.sin()
        x = self.dropout(self.embed_tokens(ids))
        for layer in self.layers:
            x = layer(x, cos, sin)
        return functional.linear(self.norm(x), self.embed_tokens.weight)


RESIDUAL = ("o_proj.weight", "down_proj.weight")


class Block(nn.Module):
    """Attention and SwiGLU, each behind its RMSNorm, each added back."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        self.input_layernorm = nn.RMSNorm(recipe.hidden_size, eps=recipe.norm_eps)
        self.self_attn = Attention(recipe)
        self.post_attention_layernorm = nn.RMSNorm(recipe.hidden_size, eps=recipe.norm_eps)
        self.mlp = Mlp(recipe)
        self.dropout = nn.Dropout(recipe.dropout)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Return x [B, T, C] behind this layer."""
        x = x + self.dropout(self.self_attn(self.input_layernorm(x), cos, sin))
        added: Tensor = self.dropout(self.mlp(self.post_attention_layernorm(x)))
        return x + added


class Attention(nn.Module):
    """Causal grouped-query attention with half-split RoPE."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        hidden, width = recipe.hidden_size, recipe.head_dim
        self.head_dim = width
        self.group = recipe.num_heads // recipe.num_kv_heads
        self.q_proj = nn.Linear(hidden, recipe.num_heads * width, bias=False)
        self.k_proj = nn.Linear(hidden, recipe.num_kv_heads * width, bias=False)
        self.v_proj = nn.Linear(hidden, recipe.num_kv_heads * width, bias=False)
        self.o_proj = nn.Linear(recipe.num_heads * width, hidden, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Return what attention adds to x [B, T, C]."""
        q, k, v = (
            projection(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
            for projection in (self.q_proj, self.k_proj, self.v_proj)
        )
        q, k = _turned(q, cos, sin), _turned(k, cos, sin)
        k, v = (part.repeat_interleave(self.group, dim=1) for part in (k, v))
        out = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(out.transpose(1, 2).flatten(2))  # type: ignore[no-any-return]


class Mlp(nn.Module):
    """SwiGLU."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(recipe.hidden_size, recipe.ffn_size, bias=False)
        self.up_proj = nn.Linear(recipe.hidden_size, recipe.ffn_size, bias=False)
        self.down_proj = nn.Linear(recipe.ffn_size, recipe.hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return what the feed-forward adds to x [B, T, C]."""
        gated = functional.silu(self.gate_proj(x)) * self.up_proj(x)
        return self.down_proj(gated)  # type: ignore[no-any-return]


def _angles(recipe: Recipe) -> Tensor:
    """Return the angles of each position's pairs, [context, D / 2]."""
    pairs = torch.arange(0, recipe.head_dim, 2) / recipe.head_dim
    return torch.outer(torch.arange(recipe.context).float(), torch.pow(recipe.rope_theta, -pairs))


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.float().chunk(2, dim=-1)
    turned = torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
    return turned.to(x.dtype)
