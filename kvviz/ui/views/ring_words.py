"""What a sliding cache says: what it has seen, holds, and writes over next."""

from collections.abc import Sequence

from kvviz.sizing.layout import CacheLayout
from kvviz.sizing.ring import EMPTY, ring_positions, ring_slot
from kvviz.trace.trace import Trace
from kvviz.ui.views.cache_words import slot_numbers
from kvviz.ui.views.pieces import feeding_step, visible
from kvviz.ui.views.rich_line import Parts, plain


def ring_words(
    layout: CacheLayout, seen: int, max_seq_len: int, pieces: Sequence[str]
) -> tuple[Parts, ...]:
    """Return how much was seen and is held, and what comes next; the longest way first."""
    held = min(layout.held(seen), max_seq_len)
    slots = min(layout.most_held, max_seq_len)
    counts: Parts = (("seen ", False), (f"{seen:,}", True), (", held ", False), (f"{held:,}", True))
    if seen > held:
        counts = (*counts, (f": {seen - held:,} fell out", False))
    sinks = plain(f"   ·   the first {layout.sinks:,} stay (sinks)") if layout.sinks else ()
    slot = ring_slot(layout, seen)
    if slot >= slots:
        return (*counts, *sinks), counts
    over = ring_positions(layout, seen, slots)[slot]
    ahead = f"   ·   the dashed slot {slot:,} is written next"
    if over != EMPTY:
        ahead += f", over {named(over, pieces)}"
    return (*counts, *plain(ahead), *sinks), (*counts, *plain(ahead)), counts


def slot_sentence(
    trace: Trace, pieces: Sequence[str], place: tuple[int, int, int], token: int | None
) -> str:
    """Return what a slot of a layer holds."""
    slot, layer, kind = place
    config = trace.config
    name = f"layer {layer}, {'KV'[kind]}, slot {slot:,}"
    if token is None:
        return f"{name}: reserved, still empty"
    numbers = slot_numbers(config.model.shape)
    before = token - config.layout.window
    over = f" over {named(before, pieces)}" if before >= config.layout.sinks <= slot else ""
    return f"{name}: {numbers} of {named(token, pieces)}, {written(trace, token)}{over}"


def seen_sentence(trace: Trace, pieces: Sequence[str], token: int, slot: int | None) -> str:
    """Return what became of a token that was seen."""
    name = named(token, pieces).replace("token", "Token", 1)
    if slot is not None:
        return f"{name} is in slot {slot:,}, {written(trace, token)}"
    pushed = token + trace.config.layout.window
    step = feeding_step(trace, pushed)
    return f"{name} fell out when token {pushed:,} was written (step {step})"


def named(token: int, pieces: Sequence[str]) -> str:
    """Return a token by its number and text."""
    return (
        f"token {token:,} “{visible(pieces[token])}”" if token < len(pieces) else f"token {token:,}"
    )


def written(trace: Trace, token: int) -> str:
    """Return which phase wrote a token, in which step."""
    step = feeding_step(trace, token)
    assert step is not None
    return f"written in {trace.steps[step].phase.value} (step {step})"
