"""What a quantized cache says: what its bytes are, and what a token lost."""

from collections.abc import Sequence

from kvviz.trace.step import Step
from kvviz.trace.trace import Token, Trace
from kvviz.ui.views.cache_words import bytes_part
from kvviz.ui.views.rich_line import Parts
from kvviz.ui.views.ring_words import named, written


def percent(share: float) -> str:
    """Write a share with two figures that matter."""
    return f"{100 * share:.2g} %"


def quantized_words(trace: Trace, step: Step) -> tuple[Parts, ...]:
    """Return what the bytes in use are, by the formula; the longest way first."""
    config, layout = trace.config, trace.config.layout
    parts = config.model.shape.cache_parts
    lengths = config.row_lengths(step.seq_len)
    coded = sum(max(0, length - layout.residual) for length in lengths)
    whole = step.predicted.used - coded * (layout.code_bytes(parts) + layout.scale_bytes(parts))
    kinds = f"int{layout.bits} codes "
    bytes_: Parts = (
        (kinds, False),
        bytes_part(coded * layout.code_bytes(parts)),
        (" + scales ", False),
        bytes_part(coded * layout.scale_bytes(parts)),
    )
    if layout.residual:
        bytes_ = (*bytes_, (" + whole ", False), bytes_part(whole))
    bytes_ = (*bytes_, (" (formula)", False))
    tokens = f"   ·   the newest {layout.residual:,} stay whole" if layout.residual else ""
    return (*bytes_, (tokens, False)), bytes_


def slot_name(place: tuple[int, int, int]) -> str:
    """Name a slot of a layer's K or V."""
    slot, layer, kind = place
    return f"layer {layer}, {'KV'[kind]}, slot {slot:,}"


def slot_sentence(
    trace: Trace,
    tokens: Sequence[Token],
    place: tuple[int, int, int],
    token: int | None,
    lost: float | None,
) -> str:
    """Return what a slot of a layer holds, and how much of it was lost."""
    name = slot_name(place)
    if token is None:
        return f"{name}: reserved, still empty"
    held = f"{name}: {named(token, [t.piece for t in tokens])}, {written(trace, token)}"
    if lost is None:
        return f"{held}, still whole"
    return f"{held}, int{trace.config.layout.bits} codes that lost {percent(lost)} of its length"
