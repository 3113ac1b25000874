"""Names of the memory chart's lines, and where they may stand."""

from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.units import bytes_text
from kvviz.trace.config import RunConfig
from kvviz.ui.views.chart_items import Line
from kvviz.ui.views.label_room import RING_GAP, Spot, along

BACK = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)  # where along a line a name may stand
PEAKS = {
    LayoutKind.CONCAT: "peak: old and new at once",
    LayoutKind.PAGED: "peak: blocks + room to gather into",
    LayoutKind.SLIDING: "peak: window + what falls out",
    LayoutKind.QUANTIZED: "peak: codes + a layer as floats",
}


def rate_words(config: RunConfig) -> str:
    """Say what one more token takes."""
    # Of the last token: the first ones of a quantized cache may be kept as they are.
    tokens, parts = config.layout.residual + 1, config.model.shape.cache_parts
    known, more = (config.layout.payload(parts, config.batch, n) for n in (tokens - 1, tokens))
    return f"formula: {bytes_text(more - known)} per token"


def end_spots(line: Line) -> tuple[Spot, ...]:
    """Spots for the name of a rising line: behind its end, then back along it on both sides."""
    if not len(line.x):
        return ()
    x, y = float(line.x[-1]), float(line.y[-1])
    behind = (Spot(x, y, 0.0, 0.5), Spot(x, y, 0.0, 1.0))
    shares = (1.0, *BACK)
    return (
        *behind,
        *along(line.x, line.y, shares, across=1.0, down=(1.0,)),
        *along(line.x, line.y, shares, across=0.0, down=(0.0,)),
    )


def beside_spots(x: float, y: float) -> tuple[Spot, ...]:
    """Spots round the cursor's ring."""
    sides = ((0.0, 0.0), (0.0, 0.5), (1.0, 1.0), (1.0, 0.5), (1.0, 0.0))
    return tuple(Spot(x, y, across, down, RING_GAP) for across, down in sides)


def over_spots(line: Line) -> tuple[Spot, ...]:
    """Spots above a level line, clear of dots on it and of the cursor's ring."""
    return along(line.x, line.y, (0.5, 0.7, 0.3), across=0.5, down=(1.0,), gap=RING_GAP)
