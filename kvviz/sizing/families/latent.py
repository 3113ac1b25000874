"""Multi-head latent attention, with and without a sparse-attention indexer."""

from collections.abc import Callable

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.families.heads import read_heads
from kvviz.sizing.parts import AttentionPart, LatentPart, LayerParts
from kvviz.sizing.patterns import FULL, read_layer_types
from kvviz.sizing.shape import CachePart

OWN, SHARED = "full", "shared"
LAYERS = (FULL, "indexed_attention", "deepseek_sparse_attention")


def read_latent(keys: Keys) -> tuple[LayerParts, ...]:
    """Read layers of MLA; with ``use_mla`` false they are plain attention."""
    layers = keys.needed("num_hidden_layers")
    read_layer_types(keys, (FULL,))
    if keys.flag("use_mla", default=True) is False:
        return (LayerParts((AttentionPart(read_heads(keys)),)),) * layers
    return (LayerParts((latent_part(keys),)),) * layers


def read_double_latent(keys: Keys) -> tuple[LayerParts, ...]:
    """Read layers that hold two attentions each."""
    part = latent_part(keys)
    return (LayerParts((part, part)),) * keys.needed("num_hidden_layers")


def read_indexed(keys: Keys) -> tuple[LayerParts, ...]:
    """Read layers of MLA of which each owns an indexer."""
    return _indexed(keys, lambda keys: (OWN,) * keys.needed("num_hidden_layers"))


def read_indexed_by_frequency(keys: Keys) -> tuple[LayerParts, ...]:
    """Read layers of MLA of which some share the choice of an earlier layer's indexer."""
    return _indexed(keys, _by_frequency)


def read_indexed_by_four(keys: Keys) -> tuple[LayerParts, ...]:
    """Read layers of MLA of which 0, 1, 5, 9, ... own an indexer unless they are listed."""
    return _indexed(keys, _by_four)


def latent_part(keys: Keys, index_width: int = 0, *, sparse: bool = False) -> LatentPart:
    """Return the latent and rotary key of a layer; num_key_value_heads has no say in it."""
    heads = keys.needed("num_attention_heads")
    rope = keys.needed_or_class("qk_rope_head_dim")
    value = keys.whole("v_head_dim")
    if value is None:
        value = keys.needed("hidden_size") // heads
        keys.assume(f"v_head_dim {value:,}: hidden_size / num_attention_heads")
    expanded = CachePart(heads, keys.needed_or_class("qk_nope_head_dim") + rope, value)
    latent = keys.needed_or_class("kv_lora_rank")
    return LatentPart(latent, rope, expanded, index_width, sparse)


def _indexed(keys: Keys, usual: Callable[[Keys], tuple[str, ...]]) -> tuple[LayerParts, ...]:
    layers = keys.needed("num_hidden_layers")
    read_layer_types(keys, LAYERS)
    width = keys.needed_or_class("index_head_dim")
    owners = read_layer_types(keys, (OWN, SHARED), "indexer_types") or usual(keys)
    own = LayerParts((latent_part(keys, width, sparse=True),))
    shared = LayerParts((latent_part(keys, sparse=True),))
    if owners.count(OWN) < layers:
        keys.assume(
            f"{owners.count(OWN)} of {layers} layers own an indexer: the rest share its choice"
        )
    return tuple(own if owner == OWN else shared for owner in owners)


def _by_frequency(keys: Keys) -> tuple[str, ...]:
    """Own where max(layer - offset + 1, 0) is a multiple of the frequency; or as a text says."""
    layers = keys.needed("num_hidden_layers")
    letters = keys.text("index_topk_pattern")
    if letters is not None:
        if len(letters) != layers or not set(letters) <= {"F", "S"}:
            keys.refuse(f"index_topk_pattern must be {layers} letters F or S")
        return tuple(OWN if letter == "F" else SHARED for letter in letters)
    frequency = keys.whole("index_topk_freq") or 1
    offset = keys.whole("index_skip_topk_offset", low=0)
    offset = 2 if offset is None else offset
    return tuple(
        SHARED if max(layer - offset + 1, 0) % frequency else OWN for layer in range(layers)
    )


def _by_four(keys: Keys) -> tuple[str, ...]:
    keys.assume(f"indexer_types absent: layers 0, 1, 5, 9 ... own one, as {keys.model_type} has it")
    layers = range(keys.needed("num_hidden_layers"))
    return tuple(OWN if layer == 0 or (layer - 1) % 4 == 0 else SHARED for layer in layers)
