"""Weights of a recurrent layer: its projections, its convolution, and what its state is fed by."""

from kvviz.sizing.config_keys import Keys
from kvviz.sizing.parts import StatePart


def delta(hidden: int, part: StatePart) -> int:
    """Return the weights of a Gated DeltaNet."""
    values = part.heads * part.conv_head_width
    channels = values + part.conv_groups * part.conv_group_width
    inward = hidden * (channels + values + 2 * part.heads)
    conv = channels * part.conv_kernel
    return inward + conv + 2 * part.heads + part.conv_head_width + values * hidden


def mamba1(keys: Keys, hidden: int, part: StatePart) -> int:
    """Return the weights of a Mamba 1 layer, whose inner channels are heads of their own."""
    inner, state = part.heads, part.head_elements
    rank = _rank(keys, hidden)
    projected = hidden * 2 * inner + inner * (rank + 2 * state) + rank * inner + inner * hidden
    is_jamba = keys.model_type == "jamba"
    bias, conv_bias = (
        ("mamba_proj_bias", "mamba_conv_bias") if is_jamba else ("use_bias", "use_conv_bias")
    )
    biases = 2 * inner + hidden if keys.flag(bias, default=False) else 0
    conv = inner * part.conv_kernel + (inner if keys.flag(conv_bias, default=True) else 0)
    norms = rank + 2 * state if is_jamba else 0
    return projected + biases + conv + inner * state + 2 * inner + norms  # A, D, the step's bias


def mamba2(keys: Keys, hidden: int, part: StatePart) -> int:
    """Return the weights of a Mamba 2 layer."""
    inner = part.heads * part.conv_head_width
    channels = inner + part.conv_groups * part.conv_group_width
    inward = inner + channels + part.heads
    biases = inward + hidden if keys.flag("use_bias", default=False) else 0
    conv = channels * (part.conv_kernel + keys.flag("use_conv_bias", default=True))
    return hidden * (inward + inner) + biases + conv + 3 * part.heads + inner


def _rank(keys: Keys, hidden: int) -> int:
    key = "mamba_dt_rank" if keys.model_type == "jamba" else "time_step_rank"
    if keys.config.get(key, "auto") == "auto":
        return -(-hidden // 16)
    return keys.needed(key)
