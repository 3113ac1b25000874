"""Weights of Gemma 4: shared K and V, experts beside a dense block, inputs for each layer."""

from kvviz.sizing.config import ModelConfig
from kvviz.sizing.config_keys import Keys
from kvviz.sizing.parts import PartKind

IN_THE_CACHE = {"head_dim", "num_key_value_heads"}


def gemma4_weights(keys: Keys, model: ModelConfig, active: bool) -> int:
    """Return all weights, or with ``active`` those that a token goes through; or InputError."""
    layers = keys.inner("per_layer_config")
    changed = {key for layer in layers.config for key in layers.inner(layer).config}
    if keys.flag("attention_bias", default=False) or changed - IN_THE_CACHE:
        keys.missing("a known attention")
    hidden, vocabulary = keys.needed("hidden_size"), keys.needed("vocab_size")
    if "hidden_size_per_layer_input" not in keys.config:
        keys.missing("hidden_size_per_layer_input")
    own = keys.whole("hidden_size_per_layer_input", low=0) or 0
    each = sum(
        attention_weights(keys, model, layer) + _block(keys, model, layer)
        for layer in range(model.num_layers)
    )
    experts = model.num_layers * _experts(keys, hidden, active)
    inputs = model.num_layers * (2 * hidden * own + hidden) if own else 0
    width = model.num_layers * own
    projected = hidden * width + own
    table = 0 if active or not own else keys.needed_or_class("vocab_size_per_layer_input") * width
    matrices = 1 if model.tie_word_embeddings else 2
    return each + experts + inputs + projected + table + matrices * vocabulary * hidden + hidden


def attention_weights(keys: Keys, model: ModelConfig, layer: int) -> int:
    """Count projections and norms; a layer that reads another's cache has queries alone."""
    parts = model.layers[layer]
    owner = parts if parts.shares_with is None else model.layers[parts.shares_with]
    part = owner.attention
    if part is None:
        return keys.missing("a known attention")
    hidden, width = keys.needed("hidden_size"), part.heads.k_width
    asked = 2 * hidden * keys.needed("num_attention_heads") * width + width
    if not parts.parts:
        return asked
    is_one = part.kind is PartKind.FULL and keys.flag("attention_k_eq_v", default=False)
    return asked + (1 if is_one else 2) * hidden * part.heads.kv_heads * width + width


def _block(keys: Keys, model: ModelConfig, layer: int) -> int:
    """Count the dense block and the four norms."""
    hidden, width = keys.needed("hidden_size"), keys.needed("intermediate_size")
    shares = model.layers[layer].shares_with is not None
    if shares and keys.flag("use_double_wide_mlp", default=False):
        width *= 2
    return 3 * hidden * width + 4 * hidden


def _experts(keys: Keys, hidden: int, active: bool) -> int:
    """Count a layer's experts with router, scales and norms."""
    experts = keys.whole("num_experts", low=0) or 0
    if not experts or not keys.flag("enable_moe_block", default=True):
        return 0
    met = keys.needed("top_k_experts") if active else experts
    router = hidden * experts + hidden + experts
    return router + met * 3 * hidden * keys.needed("moe_intermediate_size") + 3 * hidden
