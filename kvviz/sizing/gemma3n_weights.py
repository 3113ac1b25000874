"""Weights of Gemma 3n: streams that predict each other, shared K and V, inputs for each layer."""

from kvviz.sizing.config import ModelConfig
from kvviz.sizing.config_keys import Keys
from kvviz.sizing.gemma4_weights import attention_weights
from kvviz.sizing.projections import around, gated


def gemma3n_weights(keys: Keys, model: ModelConfig, active: bool) -> int:
    """Return all weights, or those that a token goes through; InputError for a missing size."""
    if keys.flag("attention_bias", default=False):
        keys.missing("a known attention")
    hidden, own = keys.needed("hidden_size"), keys.needed_or_class("hidden_size_per_layer_input")
    streams, rank = keys.usual("altup_num_inputs", 4), keys.usual("laurel_rank", 64)
    mixing = streams**2 + streams**3 + (streams + 2) * hidden  # router, its norm, and a scale
    side = 2 * hidden * rank + hidden
    inputs = 2 * hidden * own + hidden
    each = mixing + side + inputs + 4 * hidden
    layers = sum(
        attention_weights(keys, model, layer) + gated(hidden, width)
        for layer, width in enumerate(_widths(keys, model.num_layers))
    )
    wide = model.num_layers * own
    table = 0 if active else keys.needed_or_class("vocab_size_per_layer_input") * wide
    streams_out = 2 * (streams - 1) * hidden**2
    shared = table + hidden * wide + own + streams_out
    return layers + model.num_layers * each + shared + around(keys, model)


def _widths(keys: Keys, layers: int) -> list[int]:
    """Return the block's width in each layer: one for all, or a list."""
    if isinstance(keys.config.get("intermediate_size"), list):
        widths = keys.wholes("intermediate_size") or []
        return widths if len(widths) == layers else keys.missing("intermediate_size")
    return [keys.needed("intermediate_size")] * layers
