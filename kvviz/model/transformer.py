"""The decoder-only transformer that runs: the tutorial's model, with GQA and RoPE as options."""

from collections.abc import Callable

from torch import Tensor, nn

from kvviz.cache.kv_cache import KVCache
from kvviz.cache.none import NoCache
from kvviz.model.attention import attend
from kvviz.model.rope import Rope, rotate
from kvviz.sizing.shape import ModelShape, Positions

# B batch, T tokens fed, S held keys, C hidden size, H query heads, K KV heads, D head width.

Watch = Callable[[int, Tensor, Tensor, Tensor, Tensor], None]
"""Called once a layer with (layer, q [B, H, T, D], k and v [B, K, S, D], heads' out [B, H, T, D]).

q is after RoPE, k and v as read back from the cache.  What it raises ends the forward.
"""


class Attention(nn.Module):
    """Projections of one layer's attention."""

    def __init__(self, shape: ModelShape) -> None:
        super().__init__()
        hidden, kv = shape.hidden_size, shape.num_kv_heads * shape.head_dim
        self.q_proj = nn.Linear(hidden, hidden)
        self.k_proj = nn.Linear(hidden, kv)
        self.v_proj = nn.Linear(hidden, kv)
        self.out = nn.Linear(hidden, hidden)


class Block(nn.Module):
    """One layer: attention and feed-forward, each behind its LayerNorm, each added back."""

    def __init__(self, shape: ModelShape) -> None:
        super().__init__()
        self.attn_norm = nn.LayerNorm(shape.hidden_size)
        self.attn = Attention(shape)
        self.ffn_norm = nn.LayerNorm(shape.hidden_size)
        self.ffn = nn.Sequential(
            nn.Linear(shape.hidden_size, shape.ffn_size),
            nn.GELU(),
            nn.Linear(shape.ffn_size, shape.hidden_size),
        )


class Transformer(nn.Module):
    """Token ids to logits, writing keys and values into the cache it is given."""

    def __init__(self, shape: ModelShape) -> None:
        super().__init__()
        self.shape = shape
        self.token_emb = nn.Embedding(shape.vocab_size, shape.hidden_size)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.num_layers))
        self.norm = nn.LayerNorm(shape.hidden_size)
        self.lm_head = nn.Linear(shape.hidden_size, shape.vocab_size, bias=False)
        self._rope = Rope(shape.head_dim) if shape.positions is Positions.ROPE else None

    def forward(
        self, input_ids: Tensor, past_kv: KVCache | None = None, watch: Watch | None = None
    ) -> Tensor:
        """Feed input_ids [B, T] behind ``past_kv``; return the last position's logits [B, V].

        The cache is written in place; its ``finish_step`` is the caller's to call.
        """
        x = self._hidden(input_ids, past_kv or NoCache(), watch)
        return self._logits(x[:, -1])

    def all_logits(
        self, input_ids: Tensor, past_kv: KVCache | None = None, watch: Watch | None = None
    ) -> Tensor:
        """Feed as ``forward`` does; return every position's logits [B, T, V]."""
        return self._logits(self._hidden(input_ids, past_kv or NoCache(), watch))

    @property
    def weight_bytes(self) -> int:
        """Bytes of the weights, read off the tensors."""
        return sum(weight.untyped_storage().nbytes() for weight in self.parameters())

    def _hidden(self, input_ids: Tensor, past_kv: KVCache, watch: Watch | None) -> Tensor:
        x: Tensor = self.token_emb(input_ids)
        start, fed = past_kv.seq_len, input_ids.shape[1]
        angles = self._rope.at(start, start + fed, x) if self._rope else None
        for layer, block in enumerate(self.blocks):
            assert isinstance(block, Block)
            x = x + self._attention(layer, block.attn, block.attn_norm(x), past_kv, angles, watch)
            x = x + block.ffn(block.ffn_norm(x))
        return x

    def _attention(
        self,
        layer: int,
        attn: Attention,
        x: Tensor,
        past_kv: KVCache,
        angles: tuple[Tensor, Tensor] | None,
        watch: Watch | None,
    ) -> Tensor:
        shape = self.shape
        batch, fed, hidden = x.shape
        q = attn.q_proj(x).view(batch, fed, shape.num_heads, -1).transpose(1, 2)
        k = attn.k_proj(x).view(batch, fed, shape.num_kv_heads, -1).transpose(1, 2)
        v = attn.v_proj(x).view(batch, fed, shape.num_kv_heads, -1).transpose(1, 2)
        if angles is not None:
            q, k = rotate(q, *angles), rotate(k, *angles)
        keys, values = past_kv.update(layer, k, v)
        out = attend(q, keys, values, shape.scale)
        if watch is not None:
            watch(layer, q, keys, values, out)
        mixed: Tensor = attn.out(out.transpose(1, 2).reshape(batch, fed, hidden))
        return mixed

    def _logits(self, x: Tensor) -> Tensor:
        logits: Tensor = self.lm_head(self.norm(x))
        return logits
