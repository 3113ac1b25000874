"""Attention heads as most configs give them: KV heads and the width of one."""

import re

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.parts import AttentionPart, PartKind
from kvviz.sizing.shape import CachePart, kv_head_choices
from kvviz.sizing.units import count_text

OTHER_THAN_CACHE = frozenset(
    {"num_attention_heads", "intermediate_size", "num_local_experts", "num_experts_per_tok"}
)


def read_heads(keys: Keys) -> CachePart:
    """Return one attention layer's K and V, head_dim read before it is derived; or InputError."""
    width = read_head_dim(keys)
    return CachePart(read_kv_heads(keys), width, width)


def read_kv_heads(keys: Keys) -> int:
    """Return the KV heads; absent means what the class means by it, at last one a query head."""
    heads = keys.needed("num_attention_heads")
    kv_heads = keys.whole("num_key_value_heads")
    if kv_heads is None:
        keys.assume(f"num_key_value_heads {heads:,}: as num_attention_heads")
        return heads
    check_division(keys, heads, kv_heads)
    return kv_heads


def check_division(keys: Keys, heads: int, kv_heads: int) -> None:
    """Raise InputError where query heads cannot share the KV heads evenly."""
    if heads % kv_heads:
        choices = ", ".join(map(str, kv_head_choices(heads)))
        keys.refuse(
            f"num_attention_heads {heads:,} is not divisible by num_key_value_heads {kv_heads:,}: "
            f"choose one of {choices}"
        )


def read_head_dim(keys: Keys) -> int:
    """Return the width of a head: as read, as the class has it, else hidden size over heads."""
    width = keys.whole("head_dim")
    if width is not None:
        return width
    if keys.present("hidden_size") is None and not keys.nested:
        keys.refuse("missing head_dim, or hidden_size to derive it from: add one of them")
    return derived_head_dim(keys)


def derived_head_dim(keys: Keys) -> int:
    """Return hidden size over heads, written down as assumed; refuse what does not divide."""
    hidden, heads = keys.needed("hidden_size"), keys.needed("num_attention_heads")
    width, rest = divmod(hidden, heads)
    if rest or not width:
        keys.refuse(
            f"hidden_size {hidden:,} is not divisible by num_attention_heads {heads:,}: give "
            "head_dim"
        )
    keys.assume(f"head_dim {width:,}: hidden_size / num_attention_heads")
    return width


def windowed(heads: CachePart, window: int | None, kind: PartKind) -> AttentionPart:
    """Return the part of a layer that sees ``window`` tokens, None for all."""
    if window is None or kind is PartKind.FULL:
        return AttentionPart(heads)
    return AttentionPart(heads, kind, window)


def heads_by_layer(keys: Keys, usual: CachePart, layers: int) -> list[CachePart]:
    """Return each layer's heads where ``per_layer_config`` has others for some; or InputError.

    What it may change besides has no say in the cache; anything else is refused.
    """
    inner = keys.inner("per_layer_config")
    heads = [usual] * layers
    for name in inner.config:
        if not (re.fullmatch("[0-9]{1,5}", name) and int(name) < layers):
            inner.refuse(f"{name[:20]!a} is not one of {count_text(layers, 'layer')}")
        layer = inner.inner(name)
        for key in set(layer.config) - OTHER_THAN_CACHE:
            if key not in ("head_dim", "num_key_value_heads"):
                layer.refuse(f"{key[:40]!a} is not known there, so the cache cannot be told")
        width = layer.whole("head_dim")
        kv_heads = layer.whole("num_key_value_heads") or usual.kv_heads
        heads[int(name)] = CachePart(kv_heads, width or usual.k_width, width or usual.v_width)
    return heads
