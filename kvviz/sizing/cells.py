"""How many cells and states are kept, without an engine or as llama.cpp does."""

from kvviz.sizing.part_rows import PartRow
from kvviz.sizing.parts import LIMITED, PartKind
from kvviz.sizing.policy import Engine, Load, Policy, Windows

LLAMA_CPP_PAD = 256
# Windows in the config that llama.cpp does not know or has switched off: it keeps every token.
WITHOUT_WINDOWS = frozenset(
    {
        "llava_mistral", "ministral", "mistral", "mixtral", "phi3", "phi3_v", "phi4_multimodal",
        "phi4mm", "phimoe", "qwen2", "qwen2_5_omni", "qwen2_5_vl", "qwen2_moe", "qwen2_vl",
        "qwen3", "qwen3_moe", "starcoder2",
    }
)  # fmt: skip


def cells(row: PartRow, policy: Policy, load: Load) -> int:
    """Return the cells of one layer's part for all sequences together."""
    if policy.engine is Engine.LLAMA_CPP:
        return _llama_cpp_cells(row, policy, load)
    if row.kind is PartKind.CROSS:
        kept = load.source_tokens
    elif is_limited(row, policy):
        kept = min(load.tokens, row.window or 0)
    else:
        kept = load.tokens
    return load.sequences * _padded(kept, policy.block_size or 1)


def states(policy: Policy, load: Load) -> int:
    """Return the states of one recurrent layer: one a sequence and one for each drafted token."""
    sequences = load.sequences
    if policy.engine is Engine.LLAMA_CPP:
        sequences = slots(policy, load)
    return sequences * (1 + policy.speculative)


def slots(policy: Policy, load: Load) -> int:
    """Return llama.cpp's slots, at least as many as sequences."""
    return max(load.sequences, policy.slots or 1)


def is_limited(row: PartRow, policy: Policy) -> bool:
    """Return whether a window limits what ``row`` keeps."""
    return row.kind in LIMITED and policy.windows is Windows.CAPPED


def _llama_cpp_cells(row: PartRow, policy: Policy, load: Load) -> int:
    """One context for all slots, or one each, rounded up; windows with room for one batch."""
    if row.kind is PartKind.CROSS:
        return load.sequences * _padded(load.source_tokens, LLAMA_CPP_PAD)
    if policy.kv_unified:
        context, contexts, sharing = load.tokens * load.sequences, 1, slots(policy, load)
    else:
        context, contexts, sharing = load.tokens, slots(policy, load), 1
    held = _padded(context, LLAMA_CPP_PAD)
    if is_limited(row, policy):
        window = (row.window or 0) * sharing + policy.ubatch
        held = _padded(min(held, window), LLAMA_CPP_PAD)
    return contexts * held


def _padded(tokens: int, step: int) -> int:
    return -(-tokens // step) * step
