"""Weights of windowed and sparse models with experts whose layers differ in their heads."""

from kvviz.sizing.config import ModelConfig
from kvviz.sizing.config_keys import Keys
from kvviz.sizing.experts import Block, feed_forward, is_sparse
from kvviz.sizing.parts import PartKind
from kvviz.sizing.patterns import check_length
from kvviz.sizing.projections import around, attention_parts, gated, projections


def mimo_v2_weights(keys: Keys, model: ModelConfig, active: bool) -> int:
    """Count MiMo V2 Flash, whose windowed layers have sinks; InputError for a missing size."""
    hidden, usual = keys.needed("hidden_size"), keys.needed("num_attention_heads")
    biased = keys.flag("attention_bias", default=False)
    block, total = Block(gated=True, bias=False, active=active), around(keys, model)
    for number, layer in enumerate(model.layers):
        for part in attention_parts(keys, layer.parts):
            slides, heads = part.kind is PartKind.SLIDING, usual
            if slides:
                heads = keys.whole("swa_num_attention_heads") or usual
                total += heads  # sinks
            kept = part.heads
            total += projections(hidden, heads, part)
            if biased:
                total += heads * kept.k_width + kept.kv_heads * (kept.k_width + kept.v_width)
        total += 2 * hidden + feed_forward(keys, number, hidden, block)
    return total


def laguna_weights(keys: Keys, model: ModelConfig, active: bool) -> int:
    """Count Laguna: heads of each layer's own, one gate a head, experts with a shared one."""
    hidden, usual = keys.needed("hidden_size"), keys.needed("num_attention_heads")
    listed = keys.wholes("num_attention_heads_per_layer") or [usual] * model.num_layers
    if keys.config.get("gating", True) not in (True, "per-head"):
        keys.missing("a known gate")
    biased, total = keys.flag("attention_bias", default=False), around(keys, model)
    by_layer = keys.items("mlp_layer_types")
    check_length(keys, "num_attention_heads_per_layer", listed)
    if by_layer is not None:
        check_length(keys, "mlp_layer_types", by_layer)
    for number, (heads, layer) in enumerate(zip(listed, model.layers, strict=True)):
        for part in attention_parts(keys, layer.parts):
            width, kv_heads = part.heads.k_width, part.heads.kv_heads
            total += projections(hidden, heads, part) + 2 * width + hidden * heads
            total += (heads + 2 * kv_heads) * width + hidden if biased else 0
        sparse = number > 0 if by_layer is None else by_layer[number] == "sparse"
        total += 2 * hidden + (
            _routed(keys, hidden, active, "num_experts", "moe_intermediate_size")
            + gated(hidden, keys.needed("shared_expert_intermediate_size"))
            if sparse
            else gated(hidden, keys.needed("intermediate_size"))
        )
    return total


def minimax_m3_weights(keys: Keys, model: ModelConfig, active: bool) -> int:
    """Count MiniMax M3: an indexer in sparse layers, dense blocks of a width of their own."""
    hidden, heads = keys.needed("hidden_size"), keys.needed("num_attention_heads")
    if keys.flag("attention_output_gate", default=False):
        keys.missing("a known gate")
    inner = keys.inner("sparse_attention_config")
    index_heads = inner.whole("sparse_num_index_heads") or keys.whole("index_n_heads")
    shared = (keys.whole("n_shared_experts") or 1) * keys.needed("shared_intermediate_size")
    total = around(keys, model)
    for number, layer in enumerate(model.layers):
        for part in attention_parts(keys, layer.parts):
            total += projections(hidden, heads, part) + 2 * part.heads.k_width
            if width := getattr(part, "index_width", 0):
                asked = index_heads or keys.missing("index_n_heads")
                total += hidden * (asked + 1) * width + 2 * width
        total += 2 * hidden + (
            _routed(keys, hidden, active, "num_local_experts", "intermediate_size")
            + gated(hidden, shared)
            if is_sparse(keys, number)
            else gated(hidden, keys.needed("dense_intermediate_size"))
        )
    return total


def _routed(keys: Keys, hidden: int, active: bool, number: str, width: str) -> int:
    """Count experts with a router that has a bias."""
    experts = keys.needed(number)
    met = keys.needed("num_experts_per_tok") if active else experts
    return (hidden + 1) * experts + met * gated(hidden, keys.needed(width))
