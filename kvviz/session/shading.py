"""Grid rows as one byte a cell: 0 masked, then brightness, the phase in the upper half.

Decode indices lie above prefill's, so that a maximum over cells keeps a decode row visible.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kvviz.session.attention import chosen_weights, visible
from kvviz.session.selection import GridMode, HeadChoice, Scale, Selection
from kvviz.trace.step import Floats, Phase
from kvviz.trace.trace import Trace

Bytes = NDArray[np.uint8]

MASKED = 0  # as memory that is handed out has it
PREFILL_BASE = 1
DECODE_BASE = 128
PHASE_LEVELS = 127  # brightness steps in each phase
WEIGHT_LEVELS = 255  # brightness steps of the weights view, from 1
LOG_DECADES = 4.0  # the log scale's darkest cell: 1e-4 of the row's strongest


@dataclass(frozen=True, slots=True)
class Shading:
    """How the rows of one picture are made."""

    layer: int
    head: HeadChoice
    mode: GridMode
    brightness: bool
    scale: Scale
    hide_sink: bool


def shading_of(selection: Selection, head: HeadChoice | None = None) -> Shading:
    """Return the shading of the selected head, or of another of the same layer."""
    return Shading(
        selection.layer,
        selection.head if head is None else head,
        selection.mode,
        selection.brightness,
        selection.scale,
        selection.hide_sink,
    )


def shade_rows(trace: Trace, shading: Shading, start: int, stop: int) -> Bytes:
    """Return rows ``start``..``stop`` as indices, uint8 [R, stop]."""
    bright = _brightness(trace, shading, start, stop)
    seen = visible(trace, shading.layer, start, stop)
    if shading.mode is GridMode.WEIGHTS:
        index = 1 + np.rint(bright * (WEIGHT_LEVELS - 1)).astype(np.uint8)
    else:
        base = np.where(_decode_rows(trace, start, stop), DECODE_BASE, PREFILL_BASE)
        index = base[:, None].astype(np.uint8) + np.rint(bright * (PHASE_LEVELS - 1)).astype(
            np.uint8
        )
    return np.where(seen, index, np.uint8(MASKED))


def _brightness(trace: Trace, shading: Shading, start: int, stop: int) -> Floats:
    if shading.mode is GridMode.PHASE and not shading.brightness:
        return np.ones((stop - start, stop), np.float32)
    values = chosen_weights(trace, shading.layer, shading.head, start, stop)
    if shading.hide_sink:
        values[:, 0] = 0.0
    strongest = values.max(axis=1, keepdims=True)
    np.divide(values, strongest, out=values, where=strongest > 0)
    if shading.scale is Scale.LOG:
        values = 1 + np.log10(np.maximum(values, 10.0**-LOG_DECADES)) / np.float32(LOG_DECADES)
    return values


def _decode_rows(trace: Trace, start: int, stop: int) -> NDArray[np.bool_]:
    steps = trace.row_steps()[start:stop]
    return np.array([trace.steps[step].phase is Phase.DECODE for step in steps], np.bool_)
