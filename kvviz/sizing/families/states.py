"""States of recurrent layers: Mamba, delta rules, lightning attention, RG-LRU, convolutions."""

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.parts import StatePart


def gated_delta(keys: Keys) -> StatePart:
    """Return Gated DeltaNet's state: a matrix a value head, one convolution of q, k and v."""
    key_heads = keys.needed_or_class("linear_num_key_heads")
    value_heads = keys.needed_or_class("linear_num_value_heads")
    key_width = keys.needed_or_class("linear_key_head_dim")
    value_width = keys.needed_or_class("linear_value_head_dim")
    if value_heads % key_heads:
        keys.refuse(
            f"linear_num_value_heads {value_heads:,} is not divisible by linear_num_key_heads "
            f"{key_heads:,}"
        )
    return StatePart(
        "Gated DeltaNet",
        heads=value_heads,
        head_elements=key_width * value_width,
        conv_kernel=keys.needed_or_class("linear_conv_kernel_dim"),
        conv_head_width=value_width,
        conv_groups=2 * key_heads,
        conv_group_width=key_width,
    )


def kimi_delta(keys: Keys) -> StatePart:
    """Return Kimi Delta Attention's state: a square matrix a head, convolutions of q, k and v."""
    inner = keys.inner("linear_attn_config")
    heads = _inner_or(inner, "num_heads", keys, "linear_num_heads")
    width = _inner_or(inner, "head_dim", keys, "linear_head_dim")
    kernel = _inner_or(inner, "short_conv_kernel_size", keys, "linear_conv_kernel_dim")
    return _square_delta(heads, width, kernel)


def bailing_delta(keys: Keys) -> StatePart:
    """Return the same state sized by the attention's own heads."""
    width = keys.whole("linear_head_dim") or keys.needed_or_class("head_dim")
    heads = keys.whole("linear_num_heads") or keys.needed("num_attention_heads")
    return _square_delta(heads, width, keys.needed_or_class("short_conv_kernel_size"))


def lightning(keys: Keys) -> StatePart:
    """Return lightning attention's state: a square matrix a query head and no convolution."""
    heads = keys.needed("num_attention_heads")
    width = keys.whole("head_dim") or keys.needed("hidden_size") // heads
    return StatePart("lightning attention", heads, width * width)


def mamba1(keys: Keys, *, expand: str, state: str, kernel: str) -> StatePart:
    """Return Mamba 1's state: each inner channel its own; ``intermediate_size`` may be inner."""
    inner = None if expand.startswith("mamba") else keys.whole("intermediate_size")
    if inner is None:
        inner = keys.usual(expand, 2) * keys.needed("hidden_size")
        keys.assume(f"inner width {inner:,}: {expand} x hidden_size")
    return StatePart(
        "Mamba",
        heads=inner,
        head_elements=keys.usual(state, 16),
        conv_kernel=keys.usual(kernel, 4),
        conv_head_width=1,
    )


def short_convolution(keys: Keys) -> StatePart:
    """Return a gated short convolution's last inputs: hidden_size wide, and nothing else."""
    kernel = keys.needed_or_class("conv_L_cache")
    hidden = keys.needed("hidden_size")
    return StatePart("short convolution", hidden, 0, conv_kernel=kernel, conv_head_width=1)


def rg_lru(keys: Keys) -> StatePart:
    """Return RG-LRU's state: one number a channel, and its convolution."""
    width = keys.whole("lru_width")
    if width is None:
        width = keys.needed("hidden_size")
        keys.assume(f"lru_width {width:,}: as hidden_size")
    kernel = keys.usual("conv1d_width", 4)
    return StatePart("RG-LRU", width, 1, conv_kernel=kernel, conv_head_width=1)


def _square_delta(heads: int, width: int, kernel: int) -> StatePart:
    return StatePart(
        "Kimi Delta Attention",
        heads=heads,
        head_elements=width * width,
        conv_kernel=kernel,
        conv_head_width=3 * width,
    )


def _inner_or(inner: Keys, key: str, keys: Keys, other: str) -> int:
    found = inner.whole(key)
    return keys.needed_or_class(other) if found is None else found
