"""Gemma 3, 3n and 4: windows, two kinds of head, last layers that read an earlier one's cache."""

from kvviz.sizing import patterns
from kvviz.sizing.config_keys import Keys
from kvviz.sizing.families.heads import check_division, heads_by_layer, read_heads, windowed
from kvviz.sizing.families.windows import LayerTypes, every_full, layers_of, read_window
from kvviz.sizing.parts import KIND_OF_LAYER_TYPE, LayerParts
from kvviz.sizing.patterns import FULL, SLIDING
from kvviz.sizing.shape import CachePart

PERIOD_3N, PERIOD = 5, 6


def read_gemma3(keys: Keys) -> tuple[LayerParts, ...]:
    """Read alternating windows; with attention both ways it is an encoder, and refused."""
    if keys.flag("use_bidirectional_attention", default=False):
        keys.refuse("use_bidirectional_attention is true: an encoder keeps no cache")
    kinds = _kinds(keys, every_full(PERIOD, "sliding_window_pattern"))
    return layers_of(keys, read_heads(keys), kinds, read_window(keys, kinds))


def read_gemma3n(keys: Keys) -> tuple[LayerParts, ...]:
    """Read windows and shared layers, all of the same heads."""
    kinds = _kinds(keys, every_full(PERIOD_3N))
    layers = layers_of(keys, read_heads(keys), kinds, read_window(keys, kinds))
    return share_last(keys, layers, kinds)


def read_gemma4(keys: Keys) -> tuple[LayerParts, ...]:
    """Read windows, shared layers and full layers with heads of their own; the last is full."""
    if keys.config.get("use_bidirectional_attention") == "all":
        keys.refuse("use_bidirectional_attention is all: an encoder keeps no cache")
    kinds = _kinds(keys, every_full(PERIOD))
    if kinds[-1] != FULL:
        keys.assume("the last layer is full whatever layer_types says, as gemma4 has it")
        kinds = (*kinds[:-1], FULL)
    window = read_window(keys, kinds)
    usual = read_heads(keys)
    if keys.config.get("per_layer_config") is not None:
        heads = heads_by_layer(keys, usual, len(kinds))
    else:
        wider = _global_heads(keys, usual)
        heads = [wider if kind == FULL else usual for kind in kinds]
    made = {
        pair: LayerParts((windowed(pair[0], window, KIND_OF_LAYER_TYPE[pair[1]]),))
        for pair in set(zip(heads, kinds, strict=True))
    }
    layers = tuple(made[pair] for pair in zip(heads, kinds, strict=True))
    return share_last(keys, layers, kinds)


def share_last(
    keys: Keys, layers: tuple[LayerParts, ...], kinds: tuple[str, ...]
) -> tuple[LayerParts, ...]:
    """Return the layers, the last ``num_kv_shared_layers`` reading the last owner of their kind."""
    shared = keys.whole("num_kv_shared_layers", low=0, high=len(layers) - 1)
    if not shared:
        return layers
    first = len(layers) - shared
    owners = {kind: layer for layer, kind in enumerate(kinds[:first])}
    for kind in set(kinds[first:]) - set(owners):
        keys.refuse(f"num_kv_shared_layers {shared} leaves no {kind} layer to share with")
    return layers[:first] + tuple(LayerParts((), owners[kind]) for kind in kinds[first:])


def _kinds(keys: Keys, usual: LayerTypes) -> tuple[str, ...]:
    return patterns.read_layer_types(keys, (FULL, SLIDING)) or usual(keys)


def _global_heads(keys: Keys, usual: CachePart) -> CachePart:
    """Return the full layers' heads: wider, and fewer where K and V are one projection."""
    width = keys.usual("global_head_dim", 512)
    kv_heads = usual.kv_heads
    if keys.flag("attention_k_eq_v", default=False):
        keys.warn("attention_k_eq_v: K and V come from one projection; engines still keep both")
        kv_heads = keys.whole("num_global_key_value_heads") or kv_heads
        check_division(keys, keys.needed("num_attention_heads"), kv_heads)
    return CachePart(kv_heads, width, width)
