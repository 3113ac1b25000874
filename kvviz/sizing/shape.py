"""The geometry of a decoder-only transformer."""

import math
from dataclasses import dataclass
from enum import StrEnum

from kvviz.sizing.errors import InputError, within
from kvviz.sizing.units import count_text, noun_text


class Positions(StrEnum):
    """How the model knows where a token stands."""

    NONE = "none"
    ROPE = "rope"
    LEARNED = "learned"


@dataclass(frozen=True, slots=True)
class CachePart:
    """What one layer keeps for each token: K and V of ``kv_heads`` heads, widths in elements."""

    kv_heads: int
    k_width: int
    v_width: int

    @property
    def elements_per_token(self) -> int:
        """Elements of K and V that one token adds to this layer."""
        return self.kv_heads * (self.k_width + self.v_width)


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The sizes that decide weights, cache and work; layers differ in nothing but their window.

    What is None is as in the tutorial's model: ``hidden_width`` is ``num_heads * head_dim``,
    ``ffn_width`` four times that, scores are scaled by 1 / sqrt(head_dim), ``parameters`` are
    counted by its formula.  ``score_cap`` c makes a score s into c * tanh(s / c), 0 leaves it.
    ``windows`` has for each layer how many tokens a query sees, itself included, 0 for all; empty
    where none has a window.  ``context`` is the length it was trained for, in tokens; learned
    positions end there.  Raises InputError where the sizes do not go together.
    """

    num_layers: int = 2
    num_heads: int = 4
    num_kv_heads: int = 4
    head_dim: int = 16
    vocab_size: int = 128
    positions: Positions = Positions.NONE
    hidden_width: int | None = None
    ffn_width: int | None = None
    parameters: int | None = None
    score_scale: float | None = None
    score_cap: float = 0.0
    windows: tuple[int, ...] = ()
    context: int | None = None

    def __post_init__(self) -> None:
        within("layers", self.num_layers, 1, 1024)
        within("query heads", self.num_heads, 1, 1024)
        within("KV heads", self.num_kv_heads, 1, 1024)
        within("head size", self.head_dim, 1, 4096)
        within("vocabulary", self.vocab_size, 2, 2**24)
        if self.num_heads % self.num_kv_heads:
            choices = _listed(kv_head_choices(self.num_heads))
            raise InputError(
                f"{count_text(self.num_heads, 'query head')} cannot share "
                f"{count_text(self.num_kv_heads, 'KV head')} evenly: choose {choices} "
                f"{noun_text(self.num_heads, 'KV head')}."
            )
        if self.positions is Positions.ROPE and self.head_dim % 2:
            raise InputError(f"RoPE rotates pairs, so head size {self.head_dim} must be even.")
        if self.windows and len(self.windows) != self.num_layers:
            raise InputError(
                f"{count_text(self.num_layers, 'layer')} cannot have "
                f"{count_text(len(self.windows), 'window')}: give each layer one."
            )

    @property
    def hidden_size(self) -> int:
        """Width of the residual stream, C."""
        return self.hidden_width or self.num_heads * self.head_dim

    @property
    def ffn_size(self) -> int:
        """Width of the feed-forward layer."""
        return self.ffn_width or 4 * self.hidden_size

    @property
    def group_size(self) -> int:
        """Query heads that share one KV head."""
        return self.num_heads // self.num_kv_heads

    @property
    def scale(self) -> float:
        """What scores are multiplied by."""
        return self.score_scale or 1 / math.sqrt(self.head_dim)

    def window(self, layer: int) -> int:
        """Return how many tokens a query of ``layer`` sees, 0 for all."""
        return self.windows[layer] if self.windows else 0

    @property
    def attention_kind(self) -> str:
        """MHA, GQA or MQA."""
        if self.num_kv_heads == self.num_heads:
            return "MHA"
        return "MQA" if self.num_kv_heads == 1 else "GQA"

    @property
    def cache_parts(self) -> tuple[CachePart, ...]:
        """What each layer keeps per token, first layer first."""
        part = CachePart(self.num_kv_heads, self.head_dim, self.head_dim)
        return (part,) * self.num_layers

    @property
    def num_parameters(self) -> int:
        """Weights: those counted, else the teaching model's, with embedding and untied head."""
        if self.parameters is not None:
            return self.parameters
        hidden, kv = self.hidden_size, self.num_kv_heads * self.head_dim
        attention = 2 * (hidden * hidden + hidden) + 2 * (hidden * kv + kv)
        ffn = 2 * hidden * self.ffn_size + self.ffn_size + hidden
        norms = 4 * hidden
        block = attention + ffn + norms
        return 2 * self.vocab_size * hidden + self.num_layers * block + 2 * hidden


def kv_head_choices(num_heads: int) -> tuple[int, ...]:
    """Return the KV head counts that divide ``num_heads``, ascending."""
    return tuple(n for n in range(1, num_heads + 1) if num_heads % n == 0)


def _listed(numbers: tuple[int, ...]) -> str:
    *head, last = (str(n) for n in numbers)
    return f"{', '.join(head)} or {last}" if head else last
