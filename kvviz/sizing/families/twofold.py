"""Windowed layers with heads of their own, and sparse layers with an index key beside K and V."""

from collections.abc import Mapping

from kvviz.sizing import patterns
from kvviz.sizing.config_keys import Keys
from kvviz.sizing.families.heads import check_division, heads_by_layer, read_heads, windowed
from kvviz.sizing.parts import AttentionPart, LayerParts, PartKind
from kvviz.sizing.patterns import FULL, SLIDING
from kvviz.sizing.shape import CachePart
from kvviz.sizing.units import count_text


def read_mimo_v2(keys: Keys) -> tuple[LayerParts, ...]:
    """Read full and sliding layers whose heads and widths differ, K wider than V."""
    kinds = patterns.read_layer_types(keys, (FULL, SLIDING)) or _mimo_kinds(keys)
    full = _heads(keys, "num_key_value_heads", "head_dim", "v_head_dim")
    sliding = _heads(keys, "swa_num_key_value_heads", "swa_head_dim", "swa_v_head_dim", full)
    window = keys.whole("sliding_window") or keys.whole("sliding_window_size")
    return _two(keys, kinds, full, sliding, window)


def read_step(keys: Keys) -> tuple[LayerParts, ...]:
    """Read Step 3.5 and 3.7: listed layers, without the prediction layers at the list's end."""
    layers = keys.needed("num_hidden_layers")
    listed = keys.items("layer_types") or [FULL] * layers
    extra = keys.whole("num_nextn_predict_layers", low=0) or 0
    if len(listed) != layers + extra:
        patterns.check_length(keys, "layer_types", listed)
    kinds = tuple(map(str, listed[:layers]))
    if not set(kinds) <= {FULL, SLIDING}:
        keys.refuse("layer_types must be of full_attention and sliding_attention")
    full = read_heads(keys)
    if any(part != full for part in heads_by_layer(keys, full, layers)):
        keys.refuse("per_layer_config changes KV heads, which is not known for this architecture")
    other = keys.inner("attention_other_setting")
    groups = other.whole("num_attention_groups") or other.whole("num_key_value_heads")
    width = other.whole("head_dim")
    sliding = CachePart(groups or full.kv_heads, width or full.k_width, width or full.v_width)
    return _two(keys, kinds, full, sliding, keys.whole("sliding_window"))


def read_minimax_m3(keys: Keys) -> tuple[LayerParts, ...]:
    """Read full layers and sparse ones, which keep one index key a token besides K and V."""
    layers = keys.needed("num_hidden_layers")
    heads = read_heads(keys)
    settings = keys.config.get("sparse_attention_config")
    plain = LayerParts((AttentionPart(heads),))
    if settings is None:
        kinds = patterns.read_layer_types(keys, (FULL, "minimax_m3_sparse"))
        if kinds is None:
            keys.missing("sparse_attention_config")
        width = keys.usual("index_head_dim", 128)
        sparse = [kind != FULL for kind in kinds]
    else:
        sparse, width = _sparse(keys, keys.inner("sparse_attention_config"), layers)
    indexed = LayerParts((AttentionPart(heads, PartKind.FULL, None, width),))
    return tuple(indexed if is_sparse else plain for is_sparse in sparse)


def _sparse(keys: Keys, inner: Keys, layers: int) -> tuple[list[bool], int]:
    said = count_text(layers, "layer")
    frequency = inner.wholes("sparse_attention_freq", low=0, high=1)
    if frequency is None or len(frequency) != layers:
        inner.refuse(f"sparse_attention_freq must list {said}")
    disabled = inner.wholes("sparse_disable_index_value", low=0, high=1) or [1] * layers
    if len(disabled) != layers:
        inner.refuse(f"sparse_disable_index_value must list {said}")
    if any(s and not d for s, d in zip(frequency, disabled, strict=True)):
        inner.refuse("an indexer with values is not known, so its cache cannot be told")
    if not inner.flag("use_sparse_attention", default=True):
        return [False] * layers, 0
    return [bool(s) for s in frequency], inner.usual("sparse_index_dim", 128)


def _mimo_kinds(keys: Keys) -> tuple[str, ...]:
    found = keys.wholes("hybrid_layer_pattern", low=0, high=1)
    if found is None:
        rule = "full are the first layer and each sixth"
        return patterns.pattern(keys, lambda n: n == 0 or (n + 1) % 6 == 0, rule)
    patterns.check_length(keys, "hybrid_layer_pattern", found)
    return tuple(SLIDING if slides else FULL for slides in found)


def _heads(
    keys: Keys, kv_heads: str, k_width: str, v_width: str, usual: CachePart | None = None
) -> CachePart:
    if usual is None:
        part = read_heads(keys)
        return CachePart(part.kv_heads, part.k_width, keys.whole(v_width) or part.k_width)
    heads = keys.whole(kv_heads)
    if heads is None:
        heads = 2 * usual.kv_heads
        keys.assume(f"{kv_heads} {heads:,}: twice num_key_value_heads, as {keys.model_type} has it")
    check_division(keys, keys.whole("swa_num_attention_heads") or heads, heads)
    return CachePart(
        heads, keys.whole(k_width) or usual.k_width, keys.whole(v_width) or usual.v_width
    )


def _two(
    keys: Keys,
    kinds: tuple[str, ...],
    full: CachePart,
    sliding: CachePart,
    window: int | None,
) -> tuple[LayerParts, ...]:
    if SLIDING in kinds and window is None:
        keys.missing("sliding_window")
    made: Mapping[str, LayerParts] = {
        FULL: LayerParts((AttentionPart(full),)),
        SLIDING: LayerParts((windowed(sliding, window, PartKind.SLIDING),)),
    }
    return tuple(made[kind] for kind in kinds)
