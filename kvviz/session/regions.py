"""Names of what is on screen: what a lesson may point at."""

from enum import StrEnum


class Region(StrEnum):
    """A part of the window, or a part of a view that follows the cursor."""

    GRID = "grid"
    GRID_PREFILL = "grid.prefill"
    GRID_NEWEST = "grid.newest"  # the rows of the step at the cursor
    GRID_MASKED = "grid.masked"
    GRID_CELL = "grid.cell"
    GRID_COLUMN = "grid.column"  # the key of the cell cursor, as far down as it is seen
    HEADS = "heads"
    KERNEL = "kernel"  # what block-wise attention did
    CACHE_MAP = "cache_map"
    PREFIX = "prefix"
    TOKENS = "tokens"
    MEMORY = "memory"
    MEMORY_HELD = "memory.held"  # what caches hold now
    LATENCY = "latency"
    WORK = "work"
    NEXT_TOKEN = "next_token"
    TOOLBAR = "toolbar"
    TRANSPORT = "transport"
    INSPECTOR = "inspector"
    INSPECTOR_HEADS = "inspector.heads"  # which KV head the query head reads
    INSPECTOR_SCORE = "inspector.score"  # from query and key to the score
    INSPECTOR_WEIGHT = "inspector.weight"  # the row's softmax
    INSPECTOR_OUTPUT = "inspector.output"  # from the value to what the head passes on


GRID_PARTS = (
    Region.GRID_PREFILL,
    Region.GRID_NEWEST,
    Region.GRID_MASKED,
    Region.GRID_CELL,
    Region.GRID_COLUMN,
)
INSPECTOR_PARTS = (
    Region.INSPECTOR_HEADS,
    Region.INSPECTOR_SCORE,
    Region.INSPECTOR_WEIGHT,
    Region.INSPECTOR_OUTPUT,
)


class Place(StrEnum):
    """Where in a run the cursor can be sent, by what stands there."""

    START = "start"  # before the first step: the prompt is there, nothing has run
    PREFILL = "prefill"  # the n-th prefill's last pass
    DECODE = "decode"  # the n-th decode step
    END = "end"
