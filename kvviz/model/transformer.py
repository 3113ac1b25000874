"""The decoder-only transformer that runs: the tutorial's model, with GQA and RoPE as options."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from kvviz.cache.kv_cache import KVCache
from kvviz.cache.none import NoCache
from kvviz.model.attention import attend
from kvviz.model.layer import Layer, Rows, norm
from kvviz.model.rope import Rope
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


@dataclass(frozen=True, slots=True)
class Bound:
    """The parameters as plain tensors, looked up once: embedding [V, C], head [C, V]."""

    embedding: Tensor
    layers: tuple[Layer, ...]
    norm: Rows
    head: Tensor


class Transformer(nn.Module):
    """Token ids to logits, writing keys and values into the cache it is given."""

    def __init__(self, shape: ModelShape) -> None:
        super().__init__()
        self.shape = shape
        # Made of what it is given: filling it at random would import all of torch._dynamo.
        vectors = torch.empty(shape.vocab_size, shape.hidden_size)
        self.token_emb = nn.Embedding(shape.vocab_size, shape.hidden_size, _weight=vectors)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.num_layers))
        self.norm = nn.LayerNorm(shape.hidden_size)
        self.lm_head = nn.Linear(shape.hidden_size, shape.vocab_size, bias=False)
        self._rope = Rope(shape.head_dim) if shape.positions is Positions.ROPE else None
        self._bound: Bound | None = None

    def forward(
        self, input_ids: Tensor, past_kv: KVCache | None = None, watch: Watch | None = None
    ) -> Tensor:
        """Feed input_ids [B, T] behind ``past_kv``; return the last position's logits [B, V].

        The cache is written in place; its ``finish_step`` is the caller's to call.
        """
        fed = input_ids.shape[1]
        x = self._hidden(input_ids, past_kv or NoCache(), watch)
        return self._logits(x if fed == 1 else x[fed - 1 :: fed])

    def all_logits(
        self, input_ids: Tensor, past_kv: KVCache | None = None, watch: Watch | None = None
    ) -> Tensor:
        """Feed as ``forward`` does; return every position's logits [B, T, V]."""
        x = self._hidden(input_ids, past_kv or NoCache(), watch)
        return self._logits(x).view(*input_ids.shape, -1)

    @property
    def weight_bytes(self) -> int:
        """Bytes of the weights, read off the tensors."""
        return sum(weight.nbytes for weight in self.parameters())

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Load as a module does."""
        self._bound = None
        return super().load_state_dict(state_dict, strict, assign)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Let go of the tensors looked up: a move or a cast replaces them."""
        self._bound = None
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        return self

    def _bind(self) -> "Bound":
        if self._bound is None:
            self._bound = Bound(
                embedding=self.token_emb.weight.detach(),
                layers=tuple(Layer(block, self.shape) for block in self.blocks),
                norm=norm(self.norm),
                head=self.lm_head.weight.detach().t(),
            )
        return self._bound

    def _hidden(self, input_ids: Tensor, past_kv: KVCache, watch: Watch | None) -> Tensor:
        """Return the residual rows behind the last layer, [B * T, C]."""
        bound, scale = self._bind(), self.shape.scale
        start, fed = past_kv.seq_len, input_ids.shape[1]
        x = functional.embedding(input_ids.reshape(-1), bound.embedding)
        turn = self._rope.at(start, start + fed, x) if self._rope else None
        for index, layer in enumerate(bound.layers):
            q, k, v = layer.project(x, fed, turn)
            keys, values = past_kv.update(index, k, v)
            out = attend(q, keys, values, scale)
            if watch is not None:
                watch(index, q, keys, values, out)
            x = layer.finish(x, out)
        return x

    def _logits(self, rows: Tensor) -> Tensor:
        bound = self._bind()
        return bound.norm(rows) @ bound.head
