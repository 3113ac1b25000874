"""Where each slider must stop: at its own range, or where this machine's memory does."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kvviz.session.settings import SHAPE_CONTROLS, Settings
from kvviz.sizing.cost import memory_limit
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import Positions, kv_head_choices
from kvviz.sizing.units import bytes_text, count_text

LAYERS = range(1, 25)
HEADS = range(1, 33)
HEAD_DIMS = range(8, 129, 8)
BATCHES = range(1, 17)
SEQ_LENS = tuple(sorted({2**n for n in range(3, 13)} | {3 * 2**n for n in range(3, 11)}))
NEW_TOKENS = range(1, 4096)
OF_A_POOL = ("layout", "block_size", "batch", "max_seq_len", "more_prompts")


@dataclass(frozen=True, slots=True)
class Stop:
    """The largest value a slider may take, and the reason where it is not its own range's end."""

    highest: int
    reason: str = ""


def slider_stops(settings: Settings, prompt_tokens: int, free_bytes: int) -> dict[str, Stop]:
    """Return the stop of every slider that costs memory, the others staying where they are.

    All above a stop takes more than ``free_bytes`` leave; below it a value may do so too.
    """
    choices: dict[str, Sequence[int]] = {
        "num_layers": LAYERS,
        "num_heads": HEADS,
        "num_kv_heads": kv_head_choices(settings.num_heads),
        "head_dim": HEAD_DIMS,
        "batch": BATCHES,
        "max_seq_len": SEQ_LENS,
    }
    return {
        control: _stop(settings, control, values, prompt_tokens, free_bytes)
        for control, values in choices.items()
    }


def with_control(settings: Settings, control: str, value: object) -> Settings:
    """Return the settings after one control moved, dependent ones following.

    A shape that no file has is random weights of that shape.
    """
    if control in SHAPE_CONTROLS and value != getattr(settings, control):
        settings = settings.with_random_weights()
    if control == "num_heads" and isinstance(value, int):
        return settings.with_heads(value)
    moved = replace(settings, **{control: value})  # type: ignore[arg-type]
    # What only a trace or a comparison brings must not outlive the control that it stands beside.
    if control == "kv_dtype":
        return replace(moved, v_dtype=None)
    return replace(moved, num_blocks=0) if control in OF_A_POOL else moved


def _learned_places(settings: Settings) -> int:
    """Return how many positions the model has learned, 0 where it needs none."""
    shape = settings.shape if settings.model is not None else None
    if shape is None or shape.positions is not Positions.LEARNED:
        return 0
    return shape.context or 0


def _stop(
    settings: Settings, control: str, values: Sequence[int], prompt_tokens: int, free_bytes: int
) -> Stop:
    limit, places = memory_limit(free_bytes), _learned_places(settings)
    learned = bool(places) and control == "max_seq_len" and values[-1] > places
    if learned:
        values = (*(value for value in values if value < places), places)

    def total(value: int) -> int:
        try:
            return with_control(settings, control, value).cost(prompt_tokens).total
        except InputError:
            return 0  # refused for a reason that less memory does not mend

    # From the top, where there mostly is room.  No halving: not every value costs more than the one
    # before it, as more query heads may leave fewer KV heads.
    places_down = range(len(values), 0, -1)
    fitting = next((n for n in places_down if total(values[n - 1]) <= limit), 0)
    highest = values[max(0, fitting - 1)]
    if fitting < len(values):
        more = values[fitting]
        return Stop(
            highest,
            f"stops at {highest:,}: {more:,} would take {bytes_text(total(more))}, and "
            f"{bytes_text(limit)} of {bytes_text(free_bytes)} free memory may be used",
        )
    if learned:
        known = count_text(places, "position")
        return Stop(
            places,
            f"stops at {places:,}: this model has learned {known} and knows no further ones",
        )
    return Stop(highest)
