"""Weights of families that no recipe describes; each returns all, or those that a token meets."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from kvviz.sizing.config import ModelConfig
from kvviz.sizing.config_keys import Keys
from kvviz.sizing.gemma3n_weights import gemma3n_weights
from kvviz.sizing.gemma4_weights import gemma4_weights
from kvviz.sizing.parts import AttentionPart, CrossPart
from kvviz.sizing.projections import around, attention_parts, gated, projections
from kvviz.sizing.twofold_weights import laguna_weights, mimo_v2_weights, minimax_m3_weights

Count = Callable[[Keys, ModelConfig, bool], int]
SPARE_TOKENS = 8  # that mllama's embedding has beside its vocabulary, for the picture
MULTIPLE = 256  # of which a width in nemotron-nas is one


def dbrx_weights(keys: Keys, model: ModelConfig, active: bool) -> int:
    """Count DBRX, whose norms have no bias; raise InputError for a missing size."""
    hidden, inner = keys.needed("hidden_size"), keys.inner("ffn_config")
    experts = inner.needed_or_class("moe_num_experts")
    met = inner.needed_or_class("moe_top_k") if active else experts
    width = inner.needed_or_class("ffn_hidden_size")
    block = hidden * experts + met * gated(hidden, width) + 2 * hidden
    heads = keys.needed("num_attention_heads")
    attention = sum(projections(hidden, heads, part) for part in _attention(keys, model))
    return attention + model.num_layers * block + around(keys, model)


def falcon_weights(keys: Keys, model: ModelConfig, active: bool) -> int:
    """Count Falcon, old and new; raise InputError for a missing size."""
    hidden, heads = keys.needed("hidden_size"), keys.needed("num_attention_heads")
    width = keys.whole("intermediate_size") or 4 * hidden
    new = keys.flag("new_decoder_architecture", default=keys.model_type == "RefinedWeb")
    norms = keys.whole("num_ln_in_parallel_attn") or (2 if new else 1)
    if not keys.flag("parallel_attn", default=True):
        norms = 2
    block = 2 * hidden * width + 2 * norms * hidden
    attention = 0
    for part in _attention(keys, model):
        attention += projections(hidden, heads, part)
        if keys.flag("bias", default=False):
            attention += (heads + 2 * part.heads.kv_heads) * part.heads.k_width + hidden
            attention += width + hidden
    return attention + model.num_layers * block + around(keys, model) + hidden


def mllama_weights(keys: Keys, model: ModelConfig, active: bool) -> int:
    """Count mllama's text layers, some of which attend to a picture, between two gates."""
    hidden, heads = keys.needed("hidden_size"), keys.needed("num_attention_heads")
    each = gated(hidden, keys.needed("intermediate_size")) + 2 * hidden
    total = around(keys, model) + (0 if active else SPARE_TOKENS * hidden)
    for layer in model.layers:
        total += each
        for part in attention_parts(keys, layer.parts):
            total += projections(hidden, heads, part)
            total += 2 * part.heads.k_width + 2 if isinstance(part, CrossPart) else 0
    return total


def nemotron_nas_weights(keys: Keys, model: ModelConfig, active: bool) -> int:
    """Count a searched Llama: attention or feed-forward may be left out of a layer."""
    if keys.flag("attention_bias", default=False) or keys.flag("mlp_bias", default=False):
        keys.missing("a known bias")
    hidden, heads = keys.needed("hidden_size"), keys.needed("num_attention_heads")
    total = around(keys, model)
    for block, layer in zip(keys.items("block_configs") or (), model.layers, strict=True):
        for part in attention_parts(keys, layer.parts):
            total += projections(hidden, heads, part) + hidden
        attention, ffn = block["attention"], block.get("ffn")
        linear = "replace_with_linear"
        if not isinstance(ffn, Mapping) or attention.get(linear) or ffn.get(linear):
            keys.missing("a known block")
        if not ffn.get("no_op"):
            total += gated(hidden, _searched_width(keys, ffn, hidden)) + hidden
    return total


def t5_weights(keys: Keys, model: ModelConfig, active: bool) -> int:
    """Count encoder and decoder; what one token meets of both is not told."""
    if active:
        keys.missing("one count for each token")
    hidden, heads = keys.needed("hidden_size"), keys.needed("num_attention_heads")
    layers = keys.needed("num_hidden_layers")
    both = layers + model.num_layers
    inner = heads * keys.usual("d_kv", 64)
    matrices = 3 if (keys.text("feed_forward_proj") or "relu").startswith("gated") else 2
    block = matrices * hidden * keys.needed("intermediate_size") + hidden
    attention = 4 * hidden * inner + hidden
    places = 2 * heads * keys.usual("relative_attention_num_buckets", 32)
    words = 1 if keys.flag("tie_word_embeddings", default=True) else 2
    norms = 2 * hidden  # one at the end of each
    return (
        both * (block + attention)
        + model.num_layers * attention
        + places
        + norms
        + words * keys.needed("vocab_size") * hidden
    )


def _attention(keys: Keys, model: ModelConfig) -> list[AttentionPart | CrossPart]:
    return [part for layer in model.layers for part in attention_parts(keys, layer.parts)]


def _searched_width(keys: Keys, block: Mapping[str, object], hidden: int) -> int:
    factor = block.get("ffn_mult")
    if not isinstance(factor, int | float) or not 0 < factor < 1000:
        return keys.missing("ffn_mult")
    width = int(2 * Fraction(factor) * hidden / 3)
    return -(-width // MULTIPLE) * MULTIPLE


OWN_WEIGHTS: Mapping[str, Count] = {
    "dbrx": dbrx_weights,
    "falcon": falcon_weights,
    "gemma3n_text": gemma3n_weights,
    "gemma4_text": gemma4_weights,
    "laguna": laguna_weights,
    "mimo_v2_flash": mimo_v2_weights,
    "minimax_m3": minimax_m3_weights,
    "minimax_m3_vl_text": minimax_m3_weights,
    "mllama_text_model": mllama_weights,
    "nemotron-nas": nemotron_nas_weights,
    "RefinedWeb": falcon_weights,
    "RefinedWebModel": falcon_weights,
    "t5": t5_weights,
}
