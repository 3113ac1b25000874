"""What part of a run is looked at."""

from dataclasses import dataclass, replace
from enum import StrEnum

from kvviz.sizing.shape import ModelShape


class Aggregate(StrEnum):
    """Heads put together instead of one of them."""

    MEAN = "mean"
    MAX = "max"


HeadChoice = int | Aggregate


class GridMode(StrEnum):
    """Phase: hue says prefill or decode.  Weights: one perceptual colour map."""

    PHASE = "phase"
    WEIGHTS = "weights"


class Counted(StrEnum):
    """What the work chart adds up."""

    CELLS = "cells"
    POSITIONS = "positions"


class Scale(StrEnum):
    """How a weight becomes brightness, relative to the strongest of its row."""

    LINEAR = "linear"
    LOG = "log"


class ColorMap(StrEnum):
    """The perceptual colours of the weights view; cividis reads alike without red or green."""

    VIRIDIS = "viridis"
    CIVIDIS = "cividis"


@dataclass(frozen=True, slots=True)
class Selection:
    """Layer, head, the grid's colours, the work chart's unit; ``cell`` is (query row, key)."""

    layer: int = 0
    head: HeadChoice = 0
    mode: GridMode = GridMode.PHASE
    brightness: bool = True
    scale: Scale = Scale.LINEAR
    hide_sink: bool = False
    color_map: ColorMap = ColorMap.VIRIDIS
    counted: Counted = Counted.CELLS
    cell: tuple[int, int] | None = None

    def within(self, shape: ModelShape) -> "Selection":
        """Return the selection with layer and head inside ``shape``."""
        head = self.head
        if not isinstance(head, Aggregate):
            head = min(head, shape.num_heads - 1)
        return replace(self, layer=min(self.layer, shape.num_layers - 1), head=head)


@dataclass(frozen=True, slots=True)
class Pointer:
    """What the mouse is over: a token alone (``row`` only), or a cell of the grid."""

    row: int | None = None
    key: int | None = None

    def touches(self, token: int) -> bool:
        """Whether ``token`` is one of the pointed ones."""
        return token in (self.row, self.key)
