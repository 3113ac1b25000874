"""How many cells and states are kept, without an engine or as llama.cpp does."""

from kvviz.sizing.part_rows import PartRow
from kvviz.sizing.parts import LIMITED, PartKind
from kvviz.sizing.policy import Engine, Load, Policy, Windows

LLAMA_CPP_PAD = 256


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
    """One context for all slots, rounded up; a window for each slot and room for one batch."""
    if row.kind is PartKind.CROSS:
        return load.sequences * _padded(load.source_tokens, LLAMA_CPP_PAD)
    context = _padded(load.tokens * load.sequences, LLAMA_CPP_PAD)
    if not is_limited(row, policy):
        return context
    held = (row.window or 0) * slots(policy, load) + policy.ubatch
    return _padded(min(context, held), LLAMA_CPP_PAD)


def _padded(tokens: int, step: int) -> int:
    return -(-tokens // step) * step
