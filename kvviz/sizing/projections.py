"""Weights that most families have alike: projections, gated blocks, what is around the layers."""

from collections.abc import Iterator

from kvviz.sizing.config import ModelConfig
from kvviz.sizing.config_keys import Keys
from kvviz.sizing.parts import AttentionPart, CrossPart, Part


def projections(hidden: int, heads: int, part: AttentionPart | CrossPart) -> int:
    """Return the weights of q, k, v and the output, whose K and V may differ in width."""
    kept = part.heads
    return hidden * (heads + kept.kv_heads) * (kept.k_width + kept.v_width)


def gated(hidden: int, width: int) -> int:
    """Return the weights of a gated block's three matrices."""
    return 3 * hidden * width


def around(keys: Keys, model: ModelConfig) -> int:
    """Return embedding, head and last norm; raise InputError for a missing size."""
    hidden, vocabulary = keys.needed("hidden_size"), model.vocab_size
    if vocabulary is None:
        return keys.missing("vocab_size")
    return (1 if model.tie_word_embeddings else 2) * vocabulary * hidden + hidden


def attention_parts(keys: Keys, parts: tuple[Part, ...]) -> Iterator[AttentionPart | CrossPart]:
    """Yield a layer's attention; raise InputError for what is none."""
    for part in parts:
        if not isinstance(part, AttentionPart | CrossPart):
            keys.missing("a known attention")
        yield part
