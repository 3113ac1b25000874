"""KV heads under other names: one for all, groups, nested settings, another count in each layer."""

from collections.abc import Mapping

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.families.heads import (
    check_division,
    derived_head_dim,
    read_head_dim,
    read_heads,
    windowed,
)
from kvviz.sizing.parts import NOTHING, AttentionPart, LayerParts, PartKind
from kvviz.sizing.patterns import check_length
from kvviz.sizing.shape import CachePart
from kvviz.sizing.units import count_text


def read_falcon(keys: Keys) -> tuple[LayerParts, ...]:
    """Read Falcon: its new architecture has groups, the old one head, or as many as query heads."""
    heads = keys.needed("num_attention_heads")
    new = keys.flag("new_decoder_architecture", default=keys.model_type == "RefinedWeb")
    if new:
        kv_heads = keys.whole("num_key_value_heads") or heads
        check_division(keys, heads, kv_heads)
    else:
        kv_heads = 1 if _multi_query(keys) else heads
    return _alike(keys, CachePart(kv_heads, *_square(read_head_dim(keys))))


def read_bigcode(keys: Keys) -> tuple[LayerParts, ...]:
    """Read multi-query attention, or multi-head where ``multi_query`` is false."""
    kv_heads = 1 if _multi_query(keys) else keys.needed("num_attention_heads")
    return _alike(keys, CachePart(kv_heads, *_square(derived_head_dim(keys))))


def read_chatglm(keys: Keys) -> tuple[LayerParts, ...]:
    """Read ChatGLM: ``multi_query_group_num`` heads; the flag beside it means groups, not one."""
    heads = keys.needed("num_attention_heads")
    groups = keys.whole("multi_query_group_num")
    grouped = keys.flag("multi_query_attention", default=groups is not None)
    kv_heads = (groups or 1) if grouped else heads
    check_division(keys, heads, kv_heads)
    return _alike(keys, CachePart(kv_heads, *_square(read_head_dim(keys))))


def read_channels(keys: Keys) -> tuple[LayerParts, ...]:
    """Read multi-head attention whose head width is ``kv_channels``."""
    width = read_head_dim(keys)
    return _alike(keys, CachePart(keys.needed("num_attention_heads"), *_square(width)))


def read_attn_config(keys: Keys) -> tuple[LayerParts, ...]:
    """Read KV heads nested in ``attn_config``: MPT's and DBRX's."""
    heads = keys.needed("num_attention_heads")
    inner = keys.inner("attn_config")
    if inner.config.get("sliding_window_size") not in (None, -1):
        keys.refuse("attn_config: sliding_window_size is not known for this architecture")
    kv_heads = inner.whole("kv_n_heads")
    kind = inner.text("attn_type")
    if kind == "multiquery_attention":
        kv_heads = 1
    elif kind == "grouped_query_attention" or keys.model_type == "dbrx":
        kv_heads = kv_heads or inner.missing("kv_n_heads")
    else:
        kv_heads = heads
    check_division(keys, heads, kv_heads)
    return _alike(keys, CachePart(kv_heads, *_square(derived_head_dim(keys))))


def read_per_layer(keys: Keys) -> tuple[LayerParts, ...]:
    """Read a list with the KV heads of each layer; a layer of 0 heads keeps nothing."""
    key = next((k for k in PER_LAYER if isinstance(keys.config.get(k), list)), None)
    if key is None:
        return _alike(keys, read_heads(keys))
    found = keys.wholes(key, low=0, high=100_000) or []
    check_length(keys, key, found)
    return _each(found, read_head_dim(keys))


def read_block_configs(keys: Keys) -> tuple[LayerParts, ...]:
    """Read ``block_configs``: a layer's attention has groups, or is left out."""
    heads = keys.needed("num_attention_heads")
    blocks = keys.items("block_configs")
    if blocks is None:
        keys.missing("block_configs")
    check_length(keys, "block_configs", blocks)
    width = read_head_dim(keys)
    found = [_block_heads(keys, n, block, heads) for n, block in enumerate(blocks)]
    return _each(found, width)


def read_shared_in_turn(keys: Keys) -> tuple[LayerParts, ...]:
    """Read layers that share a cache in groups of ``cla_share_factor``, if ``use_cla`` is true."""
    own = LayerParts((AttentionPart(read_heads(keys)),))
    layers = range(keys.needed("num_hidden_layers"))
    if not keys.flag("use_cla", default=False):
        return (own,) * len(layers)
    factor = keys.usual("cla_share_factor", 2)
    return tuple(LayerParts((), n - n % factor) if n % factor else own for n in layers)


def read_gpt_neo(keys: Keys) -> tuple[LayerParts, ...]:
    """Read global and local layers in the order that ``attention_types`` repeats."""
    layers = keys.needed("num_hidden_layers")
    kinds = keys.items("attention_layers") or _expanded(keys, layers)
    if len(kinds) != layers or not set(map(str, kinds)) <= {"global", "local"}:
        said = count_text(layers, "layer")
        keys.refuse(f"attention_types must give global or local for {said}")
    heads = keys.needed("num_attention_heads")
    part = CachePart(heads, *_square(derived_head_dim(keys)))
    window = keys.usual("window_size", 256)
    local = windowed(part, window, PartKind.SLIDING)
    made = {"global": LayerParts((AttentionPart(part),)), "local": LayerParts((local,))}
    return tuple(made[kind] for kind in kinds)


PER_LAYER = ("num_key_value_heads_per_layer", "num_kv_heads", "num_key_value_heads")


def _alike(keys: Keys, heads: CachePart) -> tuple[LayerParts, ...]:
    return (LayerParts((AttentionPart(heads),)),) * keys.needed("num_hidden_layers")


def _square(width: int) -> tuple[int, int]:
    return width, width


def _multi_query(keys: Keys) -> bool:
    found = keys.flag("multi_query", default=True)
    if "multi_query" not in keys.config:
        keys.assume(f"multi_query true: the default of {keys.model_type}")
    return found


def _each(kv_heads: list[int], width: int) -> tuple[LayerParts, ...]:
    """Return one part a layer, those of as many heads being one object; nothing for 0 heads."""
    made = {n: LayerParts((AttentionPart(CachePart(n, width, width)),)) for n in set(kv_heads) if n}
    return tuple(made.get(heads, NOTHING) for heads in kv_heads)


def _block_heads(keys: Keys, layer: int, block: object, heads: int) -> int:
    """Return a block's KV heads, 0 where it has no attention; refuse what is not known."""
    name = f"block_configs[{layer}]"
    attention = block.get("attention") if isinstance(block, Mapping) else None
    if not isinstance(attention, Mapping):
        keys.refuse(f"{name} must be an object with attention")
    if attention.get("no_op") or attention.get("replace_with_linear"):
        return 0
    for key in ("sparsify", "num_sink_tokens", "window_length"):
        if attention.get(key):
            keys.refuse(f"{name}: attention {key} is not known, so its cache cannot be told")
    group = keys.checked(f"{name}.n_heads_in_group", attention.get("n_heads_in_group"), high=heads)
    if heads % group:
        keys.refuse(f"{name}: {heads} query heads do not divide into groups of {group}")
    return heads // group


def _expanded(keys: Keys, layers: int) -> list[str]:
    types = keys.items("attention_types")
    if types is None:
        keys.assume("attention_types absent: global and local in turn, the default of gpt_neo")
        return ["local" if layer % 2 else "global" for layer in range(layers)]
    kinds: list[str] = []
    for entry in types:
        match entry:
            case [[*names], int() as times] if 0 < times <= layers:
                kinds += [str(name) for name in names] * times
            case _:
                keys.refuse("attention_types must be a list of [[kinds], times]")
    return kinds
