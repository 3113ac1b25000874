"""Decoders that attend to a source: encoder-decoders, and text models with vision layers."""

from kvviz.sizing import patterns
from kvviz.sizing.config_keys import Keys
from kvviz.sizing.families.heads import check_division, read_heads
from kvviz.sizing.families.windows import every_full, layers_of, read_window
from kvviz.sizing.parts import AttentionPart, CrossPart, LayerParts
from kvviz.sizing.patterns import FULL, SLIDING
from kvviz.sizing.shape import CachePart


def read_t5(keys: Keys) -> tuple[LayerParts, ...]:
    """Read a T5 decoder: heads of ``d_kv``, as many layers as the encoder unless said."""
    layers = keys.whole("num_decoder_layers")
    if layers is None:
        layers = keys.needed("num_hidden_layers")
        keys.assume(f"num_decoder_layers {layers}: as num_layers")
    width = keys.usual("d_kv", 64)
    return _decoder(CachePart(keys.needed("num_attention_heads"), width, width), layers)


def read_bart(keys: Keys) -> tuple[LayerParts, ...]:
    """Read a BART-like or Whisper decoder: ``decoder_layers`` of ``decoder_attention_heads``."""
    heads, hidden = keys.needed("decoder_attention_heads"), keys.needed("hidden_size")
    if hidden % heads:
        keys.refuse(f"d_model {hidden:,} is not divisible by decoder_attention_heads {heads:,}")
    width = hidden // heads
    keys.assume(f"head_dim {width:,}: d_model / decoder_attention_heads")
    return _decoder(CachePart(heads, width, width), keys.needed("decoder_layers"))


def read_moonshine(keys: Keys) -> tuple[LayerParts, ...]:
    """Read a Moonshine decoder, whose own keys begin with ``decoder_``."""
    heads = keys.usual("decoder_num_attention_heads", 8)
    kv_heads = keys.whole("decoder_num_key_value_heads") or heads
    check_division(keys, heads, kv_heads)
    width = keys.needed("hidden_size") // heads
    keys.assume(f"head_dim {width}: hidden_size / decoder_num_attention_heads")
    part = CachePart(kv_heads, width, width)
    return _decoder(part, keys.needed("decoder_num_hidden_layers"))


def read_t5gemma(keys: Keys) -> tuple[LayerParts, ...]:
    """Read a T5Gemma decoder: alternating windows, and the source in each layer."""
    heads = read_heads(keys)
    kinds = patterns.read_layer_types(keys, (FULL, SLIDING)) or every_full(2)(keys)
    own = layers_of(keys, heads, kinds, read_window(keys, kinds))
    return tuple(LayerParts((*layer.parts, CrossPart(heads))) for layer in own)


def read_mllama(keys: Keys) -> tuple[LayerParts, ...]:
    """Read text layers of which some attend to the picture alone, instead of the text."""
    layers = keys.needed("num_hidden_layers")
    found = keys.wholes("cross_attention_layers", low=0, high=layers - 1)
    if found is None:
        found = [3, 8, 13, 18, 23, 28, 33, 38]
        keys.assume(f"cross_attention_layers {found}: the default of {keys.model_type}")
    heads, chosen = read_heads(keys), set(found)
    cross, own = LayerParts((CrossPart(heads),)), LayerParts((AttentionPart(heads),))
    return tuple(cross if layer in chosen else own for layer in range(layers))


def source_positions(keys: Keys) -> int | None:
    """Return how long a source is where the model fixes it, None where it does not."""
    if keys.model_type != "whisper":
        return None
    return keys.usual("max_source_positions", 1500)


def _decoder(heads: CachePart, layers: int) -> tuple[LayerParts, ...]:
    return (LayerParts((AttentionPart(heads), CrossPart(heads))),) * layers
