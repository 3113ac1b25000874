"""The plain model and loop that tutorials teach: the baseline, and the oracle of the tests.

Written to be read, with nothing saved: concatenated caches, scores spelled out.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

Pair = tuple[Tensor, Tensor]


class CausalSelfAttention(nn.Module):
    """Self-attention of one layer; the cache is a (k, v) pair, each [B, H, S, D]."""

    def __init__(self, hidden_size: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, hidden_size)

    def forward(self, x: Tensor, past: Pair | None) -> tuple[Tensor, Pair]:
        """Attend from x [B, T, C]; return [B, T, C] and the longer cache."""
        batch, fed, hidden = x.shape
        q, k, v = (
            projection(x).view(batch, fed, self.num_heads, -1).transpose(1, 2)
            for projection in (self.q_proj, self.k_proj, self.v_proj)
        )
        if past is not None:
            k = torch.cat([past[0], k], dim=2)
            v = torch.cat([past[1], v], dim=2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        held = k.shape[2]
        rows = torch.arange(held - fed, held, device=x.device)[:, None]
        hidden_keys = torch.arange(held, device=x.device)[None, :] > rows
        weights = functional.softmax(scores.masked_fill(hidden_keys, float("-inf")), dim=-1)
        mixed = (weights @ v).transpose(1, 2).reshape(batch, fed, hidden)
        projected: Tensor = self.out(mixed)
        return projected, (k, v)


class Block(nn.Module):
    """Pre-norm attention and feed-forward with residuals."""

    def __init__(self, hidden_size: int, num_heads: int) -> None:
        super().__init__()
        self.attn_norm = nn.LayerNorm(hidden_size)
        self.attn = CausalSelfAttention(hidden_size, num_heads)
        self.ffn_norm = nn.LayerNorm(hidden_size)
        self.ffn = nn.Sequential(
            nn.Linear(hidden_size, 4 * hidden_size),
            nn.GELU(),
            nn.Linear(4 * hidden_size, hidden_size),
        )

    def forward(self, x: Tensor, past: Pair | None) -> tuple[Tensor, Pair]:
        """Return [B, T, C] and the layer's cache."""
        mixed, cache = self.attn(self.attn_norm(x), past)
        x = x + mixed
        return x + self.ffn(self.ffn_norm(x)), cache


class TinyCausalLM(nn.Module):
    """The tutorials' decoder-only model."""

    def __init__(
        self,
        vocab_size: int = 128,
        hidden_size: int = 64,
        num_heads: int = 4,
        num_layers: int = 2,
    ) -> None:
        super().__init__()
        self.token_emb = nn.Embedding(vocab_size, hidden_size)
        self.blocks = nn.ModuleList(Block(hidden_size, num_heads) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_size)
        self.lm_head = nn.Linear(hidden_size, vocab_size, bias=False)

    def forward(
        self, input_ids: Tensor, past_kv: list[Pair] | None = None
    ) -> tuple[Tensor, list[Pair]]:
        """Feed input_ids [B, T]; return logits [B, T, V] and a cache, one (k, v) per layer."""
        x = self.token_emb(input_ids)
        cache = []
        for layer, block in enumerate(self.blocks):
            x, pair = block(x, past_kv[layer] if past_kv is not None else None)
            cache.append(pair)
        return self.lm_head(self.norm(x)), cache


@torch.inference_mode()
def tutorial_generate(model: TinyCausalLM, prompt_ids: list[int], max_new_tokens: int) -> list[int]:
    """Return prompt and greedy continuation, decoded with the concatenated cache."""
    ids = torch.tensor([prompt_ids])
    fed, cache = ids, None
    for _ in range(max_new_tokens):
        logits, cache = model(fed, cache)
        fed = logits[:, -1].argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, fed], dim=1)
    return [int(token_id) for token_id in ids[0]]
