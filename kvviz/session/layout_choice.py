"""Which layouts are compared: presets, and why one cannot be."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kvviz.session.controls import Controls
from kvviz.sizing.cost import memory_limit
from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.layout_text import layout_text, parse_layout
from kvviz.sizing.units import bytes_text
from kvviz.trace.config import RunConfig

MOST_LAYOUTS = 8
FEWEST_LAYOUTS = 2


@dataclass(frozen=True, slots=True)
class LayoutPreset:
    """Layouts that are worth a comparison, as ``parse_layout`` reads them, and what they show."""

    name: str
    texts: tuple[str, ...]
    point: str
    kv_dtypes: tuple[DType | None, ...] = ()

    def layouts(self, like: CacheLayout) -> tuple[CacheLayout, ...]:
        """Return them, in the KV dtype of ``like`` where they have none of their own."""
        found = [parse_layout(text, like) for text in self.texts]
        dtypes = self.kv_dtypes or (None,) * len(found)
        pairs = zip(found, dtypes, strict=True)
        stored = (replace(layout, kv_dtype=dtype or layout.kv_dtype) for layout, dtype in pairs)
        return tuple(dict.fromkeys(stored))


PRESETS = (
    LayoutPreset(
        "All six",
        ("none", "concat", "preallocated", "paged:16", "sliding:32+4", "quantized:int8"),
        "One of each: what it holds, what it copies, what it costs, and whether it says the same.",
    ),
    LayoutPreset(
        "Why engines page",
        ("concat", "preallocated", "paged:16"),
        "Copying at each step, reserving all at once, or taking blocks as they are needed.",
    ),
    LayoutPreset(
        "Block sizes",
        ("preallocated", "paged:1", "paged:4", "paged:16", "paged:64"),
        "Smaller blocks waste less at a sequence's end, and there are more of them to look up.",
    ),
    LayoutPreset(
        "Windows",
        ("preallocated", "sliding:32", "sliding:16+4", "sliding:16", "sliding:8"),
        "What falls out of the window is forgotten: where does the text begin to differ?",
    ),
    LayoutPreset(
        "Fewer bits",
        ("preallocated", "preallocated", "preallocated", "quantized:int8", "quantized:int4"),
        "The same entries in fewer bits: half precision, fp8, int8 and int4 codes.",
        (None, DType.BFLOAT16, DType.FLOAT8_E4M3, None, None),
    ),
)


def base_config(controls: Controls) -> RunConfig:
    """Return the run that the controls ask for, whatever its layout is.

    Raises InputError where no layout could run it.
    """
    if controls.planned is not None:
        return replace(controls.planned, shares_pool=False)
    settings = replace(controls.settings, layout=LayoutKind.PREALLOCATED, shares_pool=False)
    if controls.waiting:
        raise InputError("The prompt's tokens are still being counted: try again in a moment.")
    if not settings.prompt.strip():
        raise InputError(controls.problem)
    return settings.to_config(*controls.ids)


def layout_problem(base: RunConfig, layout: CacheLayout) -> str:
    """Say why a run cannot keep its cache so; empty where it can."""
    try:
        replace(base, layout=layout)
    except InputError as error:
        return str(error)
    return ""


def compared_configs(
    base: RunConfig, layouts: Sequence[CacheLayout], free_bytes: int
) -> tuple[RunConfig, ...]:
    """Return one run for each layout, the reference first; raises InputError with the reason."""
    if len(layouts) < FEWEST_LAYOUTS:
        raise InputError(f"A comparison needs {FEWEST_LAYOUTS} layouts: choose one more.")
    if len(layouts) > MOST_LAYOUTS:
        raise InputError(
            f"{len(layouts)} layouts are more than one can see at once: choose {MOST_LAYOUTS}."
        )
    twice = next((one for place, one in enumerate(layouts) if one in layouts[:place]), None)
    if twice is not None:
        raise InputError(f"{layout_text(twice)} is there twice: change one, or leave it out.")
    configs = tuple(replace(base, layout=layout) for layout in layouts)
    _check_memory(configs, free_bytes)
    return configs


def _check_memory(configs: Sequence[RunConfig], free_bytes: int) -> None:
    """Raise InputError where all traces, and the largest run beside them, do not fit."""
    costs = [config.cost for config in configs]
    for cost in costs:
        cost.check(free_bytes)
    largest = max(cost.total - cost.trace for cost in costs)
    total, limit = largest + sum(cost.trace for cost in costs), memory_limit(free_bytes)
    if total > limit:
        raise InputError(
            f"These {len(costs)} runs and what is recorded of them would take {bytes_text(total)}, "
            f"and {bytes_text(limit)} may be used: choose fewer layouts or a lower sequence limit."
        )
