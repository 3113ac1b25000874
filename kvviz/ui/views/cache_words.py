"""What the cache map's heading says: how large the cache is, and how full."""

from kvviz.session.runs import Run
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.shape import ModelShape
from kvviz.sizing.units import bytes_text, count_text
from kvviz.trace.step import Step
from kvviz.ui.views.axis import TIMES
from kvviz.ui.views.rich_line import Part, Parts, plain

GIVEN_BACK: Parts = (("given back: ", False), (bytes_text(0), True), (" held", False))


def extent_variants(run: Run) -> tuple[Parts, ...]:
    """Return how many slots of how many numbers there are; the longest way first."""
    shape, config = run.config.model.shape, run.config
    if not config.layout.keeps_entries:
        return ()
    layers = count_text(shape.num_layers, "layer")
    batch = f" {TIMES} {config.batch} sequences" if config.batch > 1 else ""
    slots = _slots(run)
    pairs = f"{layers} {TIMES} K,V"
    short = f"{pairs} {TIMES} {slots}"
    numbers = f" of {slot_numbers(shape)}"
    if config.layout.kind is LayoutKind.PAGED:
        return (plain(f"{slots} {TIMES} {pairs}"), plain(slots), ())
    return (plain(short + numbers + batch), plain(short + batch), plain(pairs), ())


def slot_numbers(shape: ModelShape) -> str:
    """Return what a slot of K or of V holds: a vector for each KV head."""
    return f"{shape.num_kv_heads} {TIMES} {count_text(shape.head_dim, 'number')}"


def _slots(run: Run) -> str:
    config, layout = run.config, run.config.layout
    match layout.kind:
        case LayoutKind.PREALLOCATED | LayoutKind.QUANTIZED:
            return count_text(config.max_seq_len, "slot")
        case LayoutKind.SLIDING:
            return count_text(min(layout.most_held, config.max_seq_len), "slot")
        case LayoutKind.PAGED:
            blocks = layout.blocks_needed(config.batch, config.max_seq_len)
            return f"{count_text(blocks, 'block')} of {layout.block_size}"
        case _:
            return "a slot per token"


def usage_variants(run: Run, step: Step) -> tuple[Parts, ...]:
    """Return what is used of what is reserved, and what else the step took; longest first."""
    measured, kind = step.measured, run.config.layout.kind
    used: Parts = (("used ", False), bytes_part(measured.used))
    if kind is LayoutKind.CONCAT:
        copied = bytes_part(measured.copied)
        whole: Parts = (*used, (" · concat copied ", False), copied, (" in this step", False))
        return whole, (*used, (" · copied ", False), copied), (("copied ", False), copied)
    if kind is LayoutKind.NONE:
        return (used,)
    short = (bytes_part(measured.used), (" of ", False), bytes_part(measured.reserved))
    of: Parts = (("used ", False), *short, (" reserved", False))
    if kind is LayoutKind.PREALLOCATED:
        return of, short
    slack: Parts = (*of, (" · slack ", False), bytes_part(measured.slack))
    if kind is not LayoutKind.PAGED:
        return slack, of, short
    pool: Parts = (*slack, (" · pool ", False), bytes_part(measured.pool))
    return (*pool, (" · gathered ", False), bytes_part(measured.gathered)), pool, slack, of, short


def bytes_part(count: int) -> Part:
    """Return bytes as a stressed part of a line."""
    return bytes_text(count), True
