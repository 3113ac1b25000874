"""The decoder-only transformer that runs: the tutorial's model, and other families as options."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor, nn

from kvviz.cache.kv_cache import KVCache
from kvviz.cache.none import NoCache
from kvviz.model import block
from kvviz.model.architecture import TUTORIAL, Architecture
from kvviz.model.attention import Attend, attend
from kvviz.model.half_weights import HalfWeights
from kvviz.model.layer import Layer
from kvviz.model.rope import Rope, Turn
from kvviz.model.rows import Product, Rows, norm
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import ModelShape, Positions

# B batch, T tokens fed, S held keys, C hidden size, H query heads, K KV heads, D head width.

Watch = Callable[[int, Tensor, Tensor, Tensor, Tensor], None]
"""Called once a layer with (layer, q [B, H, T, D], k and v [B, K, S, D], heads' out [B, H, T, D]).

q is after RoPE, k and v as read back from the cache.  What it raises ends the forward.
"""

MOST_COPIED_BYTES = 8 * 2**20
UNTURNED: tuple[Turn | None, ...] = (None,)


@dataclass(frozen=True, slots=True)
class Bound:
    """The parameters as plain tensors, looked up once: embedding [V, C].

    ``embedding_scale`` has no axes, ``positions`` [P, C] are learned ones.
    """

    embedding: Tensor
    embedding_scale: Tensor | None
    positions: Tensor | None
    layers: tuple[Layer, ...]
    norm: Rows
    head: Product


class Transformer(nn.Module):
    """Token ids to logits, writing keys and values into the cache it is given.

    Its weights are on no device yet: ``kvviz.model.init`` puts them on one.
    """

    def __init__(self, shape: ModelShape, architecture: Architecture = TUTORIAL) -> None:
        super().__init__()
        self.shape, self.architecture = shape, architecture
        hidden = shape.hidden_size
        self.token_emb = _embedding(shape.vocab_size, hidden)
        if shape.positions is Positions.LEARNED:
            self.position_emb = _embedding(shape.context or 0, hidden)
        self.blocks = nn.ModuleList(
            block.Block(shape, architecture) for _ in range(shape.num_layers)
        )
        self.norm = block.norm(hidden, architecture)
        if not architecture.tied_head:
            self.lm_head = block.Linear(hidden, shape.vocab_size, bias=False)
        rotations = (architecture.rope, architecture.local_rope)
        self._ropes = (
            [Rope(shape.head_dim, rotation) for rotation in rotations if rotation]
            if shape.positions is Positions.ROPE
            else []
        )
        self._bound: Bound | None = None

    def forward(
        self,
        input_ids: Tensor,
        past_kv: KVCache | None = None,
        watch: Watch | None = None,
        attention: Attend = attend,
    ) -> Tensor:
        """Feed input_ids [B, T] behind ``past_kv``; return the last position's logits [B, V].

        The cache is written in place; its ``finish_step`` is the caller's to call.
        """
        fed = input_ids.size(1)
        x = self._hidden(input_ids, past_kv or NoCache(), watch, attention)
        return self._logits(x if fed == 1 else x[fed - 1 :: fed])

    def all_logits(
        self,
        input_ids: Tensor,
        past_kv: KVCache | None = None,
        watch: Watch | None = None,
        attention: Attend = attend,
    ) -> Tensor:
        """Feed as ``forward`` does; return every position's logits [B, T, V]."""
        x = self._hidden(input_ids, past_kv or NoCache(), watch, attention)
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
            shape, architecture = self.shape, self.architecture
            embedding = self.token_emb.weight.detach()
            head = embedding if architecture.tied_head else self.lm_head.weight.detach()
            learned = shape.positions is Positions.LEARNED
            products = HalfWeights().product
            scale = architecture.embedding_scale
            self._bound = Bound(
                embedding=_rows_together(embedding),
                embedding_scale=None if scale == 1 else torch.tensor(scale).to(embedding),
                positions=self.position_emb.weight.detach() if learned else None,
                layers=tuple(
                    Layer(block, shape, architecture, shape.window(index), products)
                    for index, block in enumerate(self.blocks)
                ),
                norm=norm(self.norm, architecture.norm_offset),
                head=products(head.t()),
            )
        return self._bound

    def _hidden(
        self, input_ids: Tensor, past_kv: KVCache, watch: Watch | None, attention: Attend
    ) -> Tensor:
        """Return the residual rows behind the last layer, [B * T, C]."""
        bound = self._bind()
        start, fed = past_kv.seq_len, input_ids.size(1)
        positions = _own_positions(past_kv, fed, input_ids.device) if past_kv.pads else None
        x = self._embedded(bound, input_ids, start, positions)
        turns = [_turn(rope, start, fed, positions, x) for rope in self._ropes] or UNTURNED
        mask = past_kv.mask(fed, x.device)
        for index, layer in enumerate(bound.layers):
            q, k, v = layer.project(x, fed, turns[layer.rope])
            keys, values = past_kv.update(index, k, v)
            out = attention(q, keys, values, layer.scoring, mask)
            if watch is not None:
                watch(index, q, keys, values, out)
            x = layer.finish(x, out)
        return x

    def _embedded(self, bound: Bound, input_ids: Tensor, start: int, own: Tensor | None) -> Tensor:
        """Return what the first layer is fed, [B * T, C]."""
        x = torch.embedding(bound.embedding, input_ids.reshape(-1))
        if bound.embedding_scale is not None:
            x = x * bound.embedding_scale
        if bound.positions is not None:
            batch, fed = input_ids.shape
            if start + fed > len(bound.positions):
                raise InputError(
                    f"This model has learned {len(bound.positions):,} positions and "
                    f"{start + fed:,} were fed: lower the sequence limit."
                )
            learned = bound.positions
            if own is None:
                x = x + learned[start : start + fed].repeat(batch, 1)
            else:
                x = x + learned[own.reshape(-1)]
        return x

    def _logits(self, rows: Tensor) -> Tensor:
        bound, cap = self._bind(), self.architecture.logit_cap
        logits = bound.head(bound.norm(rows), None)
        return (logits / cap).tanh_().mul_(cap) if cap else logits


def _own_positions(past_kv: KVCache, fed: int, device: torch.device) -> Tensor:
    """Return where the tokens of each row stand, [B, T], if rows began at different times."""
    places = torch.arange(past_kv.seq_len, past_kv.seq_len + fed, device=device)
    return (places - torch.tensor(past_kv.pads, device=device)[:, None]).clamp_min_(0)


def _turn(rope: Rope, start: int, fed: int, positions: Tensor | None, like: Tensor) -> Turn:
    return rope.at(start, start + fed, like) if positions is None else rope.at_each(positions, like)


def _rows_together(embedding: Tensor) -> Tensor:
    """Return a small embedding with each row in one place: a head's may lie column by column."""
    return embedding.contiguous() if embedding.nbytes <= MOST_COPIED_BYTES else embedding


def _embedding(rows: int, width: int) -> nn.Embedding:
    # Made of what it is given: filling it at random would import all of torch._dynamo.
    return nn.Embedding(rows, width, _weight=torch.empty(rows, width, device="meta"))
