"""A cache part in bytes on one GPU: of one cell where it grows, of one state where it does not."""

from dataclasses import dataclass

from kvviz.sizing.element_types import FP8, FP8_DS_MLA
from kvviz.sizing.errors import InputError
from kvviz.sizing.parts import (
    AttentionPart,
    CrossPart,
    LatentPart,
    Part,
    PartKind,
    StatePart,
)
from kvviz.sizing.policy import Engine, MlaLayout, Policy
from kvviz.sizing.shape import CachePart
from kvviz.sizing.units import count_text

# DeepSeek-V3.2's fp8 layout: a float32 scale for 128 elements, the rotary key in bfloat16.
DS_GROUP, DS_SCALE_BYTES, DS_ROPE_BYTES = 128, 4, 2


@dataclass(frozen=True, slots=True)
class PartRow:
    """Bytes on one GPU: ``k``, ``v`` and ``index`` of one cell, ``state`` of one state.

    ``kv_heads`` are the GPU's own; widths are elements of one head.
    """

    kind: PartKind
    kv_heads: int = 0
    k_width: int = 0
    v_width: int = 0
    window: int | None = None
    k: int = 0
    v: int = 0
    index: int = 0
    state: int = 0

    @property
    def cell(self) -> int:
        """All bytes of one cell."""
        return self.k + self.v + self.index


def part_row(part: Part, policy: Policy) -> PartRow:
    """Return what one cell or state of ``part`` takes on one GPU; raise InputError if it cannot."""
    if isinstance(part, LatentPart):
        return _latent_row(part, policy)
    if isinstance(part, StatePart):
        return PartRow(PartKind.RECURRENT, state=state_bytes(part, policy))
    if isinstance(part, CrossPart):
        return _heads_row(part.kind, part.heads, policy)
    index = _attention_index(part, policy)
    return _heads_row(part.kind, part.heads, policy, part.window, index)


def heads_per_gpu(kv_heads: int, tp: int) -> int:
    """Return the KV heads on one of ``tp`` GPUs: shared out, or repeated once there are fewer."""
    if kv_heads % tp and tp % kv_heads:
        raise InputError(
            f"{kv_heads:,} KV heads can neither be shared out over {tp:,} GPUs nor repeated "
            "evenly: choose another tp."
        )
    return max(1, kv_heads // tp)


def state_bytes(part: StatePart, policy: Policy) -> int:
    """Return one state with its convolution's inputs, on one GPU."""
    tp = policy.tp
    if part.heads % tp:
        said = count_text(part.heads, "state head")
        raise InputError(f"{said} cannot be divided over {tp:,} GPUs: choose another tp.")
    heads = part.heads // tp
    channels = heads * part.conv_head_width + _groups(part, tp) * part.conv_group_width
    kept = part.conv_kernel - 1
    if policy.engine is Engine.VLLM and channels:
        kept += policy.speculative
    state = policy.state_type.row_bytes(heads * part.head_elements, "a state")
    return state + policy.conv_type.row_bytes(kept * channels, "a convolution's inputs")


def _groups(part: StatePart, tp: int) -> int:
    """Return both sets of groups on one GPU, which has at least one of each."""
    each = part.conv_groups // 2
    if each and each % tp and tp % each:
        raise InputError(f"{each:,} state groups do not go with {tp:,} GPUs: choose another tp.")
    return 2 * max(1, each // tp) if each else 0


def _heads_row(
    kind: PartKind, heads: CachePart, policy: Policy, window: int | None = None, index: int = 0
) -> PartRow:
    _refuse_ds(policy, "K and V of heads")
    kv_heads = heads_per_gpu(heads.kv_heads, policy.tp)
    return PartRow(
        kind,
        kv_heads,
        heads.k_width,
        heads.v_width,
        window,
        index=index,
        k=policy.k_type.heads_bytes(kv_heads, heads.k_width, "a row of K"),
        v=policy.v_type.heads_bytes(kv_heads, heads.v_width, "a row of V"),
    )


def _attention_index(part: AttentionPart, policy: Policy) -> int:
    if not part.index_width:
        return 0
    return policy.k_type.row_bytes(part.index_width, "an index key")


def _latent_row(part: LatentPart, policy: Policy) -> PartRow:
    index = _index_bytes(part.index_width, policy)
    if policy.mla is MlaLayout.EXPANDED:
        return _heads_row(PartKind.MLA, part.heads, policy, None, index)
    width = part.latent + part.rope
    if _ds_layout(part, policy):
        k = part.latent + _ds_scales(part.latent) + part.rope * DS_ROPE_BYTES
    else:
        k = policy.k_type.row_bytes(width, "a latent")
    return PartRow(PartKind.MLA, 1, width, 0, k=k, index=index)


def _index_bytes(width: int, policy: Policy) -> int:
    if not width:
        return 0
    # vLLM keeps the index key in fp8 whatever the cache's own type is.
    if policy.k_type in (FP8, FP8_DS_MLA) or policy.engine is Engine.VLLM:
        return width + _ds_scales(width)
    return policy.k_type.row_bytes(width, "an index key")


def _ds_layout(part: LatentPart, policy: Policy) -> bool:
    """fp8 beside an indexer is that layout in the engines; without one it must be asked for."""
    return policy.k_type == FP8_DS_MLA or (policy.k_type == FP8 and part.sparse)


def _ds_scales(elements: int) -> int:
    return -(-elements // DS_GROUP) * DS_SCALE_BYTES


def _refuse_ds(policy: Policy, what: str) -> None:
    if FP8_DS_MLA in (policy.k_type, policy.v_type):
        raise InputError(f"fp8_ds_mla is a layout of MLA's latent, not of {what}: choose fp8.")
