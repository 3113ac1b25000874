"""Models whose layers are recurrent, or attention, or both, or neither."""

from collections.abc import Callable, Mapping

from kvviz.sizing import patterns
from kvviz.sizing.config_keys import Keys
from kvviz.sizing.families import states
from kvviz.sizing.families.family import Reader
from kvviz.sizing.families.heads import read_heads, read_kv_heads, windowed
from kvviz.sizing.families.latent import latent_part
from kvviz.sizing.families.mamba2 import BAMBA, MAMBA2, NEMOTRON, ZAMBA2, mamba2
from kvviz.sizing.parts import NOTHING, AttentionPart, LayerParts, Part, PartKind, StatePart
from kvviz.sizing.patterns import FULL, LINEAR, SLIDING
from kvviz.sizing.shape import CachePart

MakeState = Callable[[Keys], StatePart]
ATTENTION_NAMES = (FULL, "attention")
LINEAR_NAMES = (LINEAR, "mamba", "recurrent", "conv", "short_conv")
EMPTY_NAMES = ("mlp", "moe")
NEMOTRON_LETTERS = {"M": LINEAR, "*": FULL, "-": "mlp", "E": "moe"}


def mixes(make_state: MakeState, usual: Callable[[Keys], tuple[str, ...]]) -> Reader:
    """Return a reader of recurrent and attention layers, by ``layer_types`` or the class's way."""

    def read(keys: Keys) -> tuple[LayerParts, ...]:
        names = (*ATTENTION_NAMES, *LINEAR_NAMES)
        found = patterns.read_layer_types(keys, names, _listed_under(keys))
        return _made(keys, found or usual(keys), make_state)

    return read


def by_interval(keys: Keys) -> tuple[str, ...]:
    """Attention in each ``full_attention_interval``-th layer, from 1; 4 where it is absent."""
    step = keys.whole("full_attention_interval")
    if step is None:
        step = 4
        keys.assume(f"full_attention_interval 4: the default of {keys.model_type}")
    layers = range(keys.needed("num_hidden_layers"))
    return tuple(LINEAR if (layer + 1) % step else FULL for layer in layers)


def by_period(keys: Keys) -> tuple[str, ...]:
    """Attention where the layer, from 0, leaves ``attn_layer_offset`` over the period."""
    period = keys.usual("attn_layer_period", 8)
    offset = keys.usual("attn_layer_offset", 4, low=0)
    layers = range(keys.needed("num_hidden_layers"))
    return tuple(FULL if layer % period == offset else LINEAR for layer in layers)


def by_indices(keys: Keys) -> tuple[str, ...]:
    """Attention in the layers of ``attn_layer_indices``, none where it is absent."""
    return _at(keys, "attn_layer_indices", FULL, LINEAR)


def by_attention_list(keys: Keys) -> tuple[str, ...]:
    """Attention where ``attn_type_list`` has 1; else in every other layer, from the first."""
    found = keys.wholes("attn_type_list", low=0, high=1)
    layers = keys.needed("num_hidden_layers")
    if found is None:
        keys.assume(f"layer_types absent: every other layer full, as {keys.model_type} has it")
        return tuple(LINEAR if layer % 2 else FULL for layer in range(layers))
    patterns.check_length(keys, "attn_type_list", found)
    return tuple(FULL if kind else LINEAR for kind in found)


def by_convolution(keys: Keys) -> tuple[str, ...]:
    """Attention in the layers of ``full_attn_idxs``, a short convolution in the others."""
    if keys.config.get("full_attn_idxs") is None:
        keys.assume("full_attn_idxs absent: all layers are attention")
        return (FULL,) * keys.needed("num_hidden_layers")
    return _at(keys, "full_attn_idxs", FULL, LINEAR)


def all_linear(keys: Keys) -> tuple[str, ...]:
    """No attention at all."""
    return (LINEAR,) * keys.needed("num_hidden_layers")


def read_nemotron_h(keys: Keys) -> tuple[LayerParts, ...]:
    """Read layers that are Mamba 2, attention, MLP or experts, one of them each."""
    return _made(keys, nemotron_kinds(keys), lambda keys: mamba2(keys, NEMOTRON))


def nemotron_kinds(keys: Keys) -> tuple[str, ...]:
    """Return what each layer is, as letters or a list say; raise InputError without either."""
    letters = keys.text("hybrid_override_pattern")
    if letters is not None and keys.config.get("layers_block_type") is None:
        if not set(letters) <= set(NEMOTRON_LETTERS):
            keys.refuse("hybrid_override_pattern must be of the letters M, *, - and E")
        key, kinds = "hybrid_override_pattern", tuple(map(NEMOTRON_LETTERS.__getitem__, letters))
    else:
        key, kinds = _listed_under(keys), _listed_blocks(keys)
    if "num_hidden_layers" in keys.config:
        patterns.check_length(keys, key, kinds)
    return kinds


def read_recurrent_gemma(keys: Keys) -> tuple[LayerParts, ...]:
    """Read RG-LRU layers and attention with a window, in a repeated pattern."""
    blocks = keys.items("block_types") or keys.items("_block_types")
    if not blocks:
        blocks = ["recurrent", "recurrent", "attention"]
        keys.assume(f"block_types {blocks}: the default of {keys.model_type}")
    if not set(map(str, blocks)) <= {"recurrent", "attention"}:
        keys.refuse("block_types must be of recurrent and attention")
    window = keys.usual("attention_window_size", 2048)
    attention = LayerParts((AttentionPart(read_heads(keys), PartKind.SLIDING, window),))
    made = {"attention": attention, "recurrent": LayerParts((states.rg_lru(keys),))}
    layers = range(keys.needed("num_hidden_layers"))
    return tuple(made[blocks[layer % len(blocks)]] for layer in layers)


def read_lfm3(keys: Keys) -> tuple[LayerParts, ...]:
    """Read short convolutions, windows and full attention, in turns of four unless listed."""
    kinds = patterns.read_layer_types(keys, (FULL, SLIDING, "conv"))
    if kinds is None:
        keys.assume(f"layer_types absent: in turns of four, as {keys.model_type} has them")
        layers = range(keys.needed("num_hidden_layers"))
        kinds = tuple(
            FULL if n % 4 == 2 else SLIDING if n % 4 == 0 and n else "conv" for n in layers
        )
    heads = read_heads(keys)
    made = {
        FULL: LayerParts((AttentionPart(heads),)),
        SLIDING: LayerParts((windowed(heads, keys.whole("sliding_window"), PartKind.SLIDING),)),
        "conv": LayerParts((states.short_convolution(keys),)),
    }
    return tuple(made[kind] for kind in kinds)


def read_falcon_h1(keys: Keys) -> tuple[LayerParts, ...]:
    """Read layers that are attention and Mamba 2 side by side."""
    both = (AttentionPart(read_heads(keys)), mamba2(keys, BAMBA))
    return (LayerParts(both),) * keys.needed("num_hidden_layers")


def zamba(make_state: MakeState, usual: Callable[[Keys], tuple[str, ...]]) -> Reader:
    """Return a reader of Mamba layers of which the hybrid ones have shared attention before them.

    Its weights are shared, its cache is not; it sees twice the hidden size.
    """

    def read(keys: Keys) -> tuple[LayerParts, ...]:
        names = (LINEAR, "mamba", "hybrid")
        kinds = patterns.read_layer_types(keys, names, "layers_block_type") or usual(keys)
        state = make_state(keys)
        attention: tuple[Part, ...] = ()
        if "hybrid" in kinds:
            attention = (AttentionPart(_zamba_heads(keys)),)
        mamba, hybrid = LayerParts((state,)), LayerParts((*attention, state))
        return tuple(hybrid if kind == "hybrid" else mamba for kind in kinds)

    return read


def by_zamba_period(keys: Keys) -> tuple[str, ...]:
    """Two Mamba layers and a hybrid, then a hybrid wherever the period says."""
    period = keys.usual("attn_layer_period", 6)
    offset = keys.usual("attn_layer_offset", 4, low=0)
    rest = range(keys.needed("num_hidden_layers") - 3)
    return (LINEAR, LINEAR, "hybrid", *("hybrid" if n % period == offset else LINEAR for n in rest))


def by_hybrid_ids(keys: Keys) -> tuple[str, ...]:
    """A hybrid in the layers of ``hybrid_layer_ids``."""
    if keys.config.get("hybrid_layer_ids") is None:
        keys.missing("layers_block_type")
    return _at(keys, "hybrid_layer_ids", "hybrid", LINEAR)


def read_kimi_linear(keys: Keys) -> tuple[LayerParts, ...]:
    """Read MLA layers and delta layers, which ``linear_attn_config`` lists from 1."""
    layers = keys.needed("num_hidden_layers")
    kinds = patterns.read_layer_types(keys, (FULL, LINEAR))
    if kinds is None:
        inner = keys.inner("linear_attn_config")
        kinds = _listed_from_1(keys, inner, layers)
    made = {FULL: LayerParts((latent_part(keys),)), LINEAR: LayerParts((states.kimi_delta(keys),))}
    return tuple(made[kind] for kind in kinds)


def read_bailing_hybrid(keys: Keys) -> tuple[LayerParts, ...]:
    """Read MLA in the last layer of each group and delta layers before it."""
    kinds = patterns.read_layer_types(keys, (FULL, LINEAR))
    if kinds is None:
        step = keys.needed_or_class("layer_group_size")
        layers = range(keys.needed("num_hidden_layers"))
        kinds = tuple(LINEAR if (layer + 1) % step else FULL for layer in layers)
    made = {
        FULL: LayerParts((latent_part(keys),)),
        LINEAR: LayerParts((states.bailing_delta(keys),)),
    }
    return tuple(made[kind] for kind in kinds)


def _made(keys: Keys, kinds: tuple[str, ...], make_state: MakeState) -> tuple[LayerParts, ...]:
    """Return each layer's parts, state and heads read only where a layer needs them."""
    made: dict[str, LayerParts] = dict.fromkeys(EMPTY_NAMES, NOTHING)
    if not set(LINEAR_NAMES).isdisjoint(kinds):
        made |= dict.fromkeys(LINEAR_NAMES, LayerParts((make_state(keys),)))
    if not set(ATTENTION_NAMES).isdisjoint(kinds):
        made |= dict.fromkeys(ATTENTION_NAMES, LayerParts((AttentionPart(read_heads(keys)),)))
    return tuple(made[kind] for kind in kinds)


def _listed_under(keys: Keys) -> str:
    return "layers_block_type" if keys.config.get("layers_block_type") else "layer_types"


def _listed_blocks(keys: Keys) -> tuple[str, ...]:
    key = _listed_under(keys)
    found = keys.items(key)
    if not found:
        keys.missing("hybrid_override_pattern")
    known = (*ATTENTION_NAMES, *LINEAR_NAMES, *EMPTY_NAMES)
    for layer, kind in enumerate(found):
        if kind not in known:
            keys.refuse(f"{key}[{layer}] is {str(kind)[:40]!a}, which is not known")
    return tuple(found)


def _at(keys: Keys, key: str, at: str, elsewhere: str) -> tuple[str, ...]:
    layers = keys.needed("num_hidden_layers")
    chosen = set(keys.wholes(key, low=0, high=layers - 1) or ())
    return tuple(at if layer in chosen else elsewhere for layer in range(layers))


def _listed_from_1(keys: Keys, inner: Keys, layers: int) -> tuple[str, ...]:
    full = inner.wholes("full_attn_layers", high=layers)
    delta = inner.wholes("kda_layers", high=layers)
    if full is None or delta is None:
        keys.missing("linear_attn_config with full_attn_layers and kda_layers")
    if sorted([*full, *delta]) != list(range(1, layers + 1)):
        keys.refuse("full_attn_layers and kda_layers must name each layer, from 1, once")
    chosen = set(full)
    return tuple(FULL if layer in chosen else LINEAR for layer in range(1, layers + 1))


def _zamba_heads(keys: Keys) -> CachePart:
    heads = keys.needed("num_attention_heads")
    width = keys.whole("attention_head_dim")
    if width is None:
        width = 2 * keys.needed("hidden_size") // heads
        keys.assume(f"attention_head_dim {width:,}: 2 x hidden_size / num_attention_heads")
    return CachePart(read_kv_heads(keys), width, width)


STATES: Mapping[str, MakeState] = {
    "mamba": lambda keys: states.mamba1(
        keys, expand="expand", state="state_size", kernel="conv_kernel"
    ),
    "jamba": lambda keys: states.mamba1(
        keys, expand="mamba_expand", state="mamba_d_state", kernel="mamba_d_conv"
    ),
    "mamba2": lambda keys: mamba2(keys, MAMBA2),
    "bamba": lambda keys: mamba2(keys, BAMBA),
    "zamba2": lambda keys: mamba2(keys, ZAMBA2),
}
