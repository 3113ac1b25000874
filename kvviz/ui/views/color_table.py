"""The colours that a picture's indices stand for."""

from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from kvviz.session.selection import ColorMap, GridMode, Selection
from kvviz.session.shading import DECODE_BASE, PHASE_LEVELS, PREFILL_BASE, WEIGHT_LEVELS
from kvviz.trace.step import Phase
from kvviz.ui.theme import Theme

Colors = tuple[int, ...]

# How much of the phase's hue the faintest cell keeps: no computed cell may look like none.
FAINTEST = 0.3
MIDDLING = 0.6


def color_table(theme: Theme, selection: Selection) -> Colors:
    """Return 256 colours, 0xffRRGGBB, for the pictures of ``selection``."""
    return _table(theme, selection.mode, selection.color_map)


def flat_color(theme: Theme, selection: Selection, phase: Phase) -> QColor:
    """Return what stands for computed cells of ``phase`` whose weights are still worked out."""
    plain = selection.mode is GridMode.PHASE and not selection.brightness
    return mixed(QColor(theme.bg1), theme.color(phase.value), 1.0 if plain else MIDDLING)


def mixed(ground: QColor, hue: QColor, share: float) -> QColor:
    """Return ``share`` (0 to 1) of ``hue`` on ``ground``."""
    return QColor(
        round(ground.red() + (hue.red() - ground.red()) * share),
        round(ground.green() + (hue.green() - ground.green()) * share),
        round(ground.blue() + (hue.blue() - ground.blue()) * share),
    )


def index_image(pixels: NDArray[np.uint8], colors: Colors) -> QImage:
    """Return uint8 indices [R, W] as an image that owns its pixels."""
    rows, width = pixels.shape
    whole = np.ascontiguousarray(pixels)
    image = QImage(whole.data, width, rows, width, QImage.Format.Format_Indexed8)
    image.setColorTable(colors)
    # Painting indices scaled takes several times as long as turning them into colours first.
    return image.convertToFormat(QImage.Format.Format_RGB32)


@lru_cache(maxsize=8)
def _table(theme: Theme, mode: GridMode, color_map: ColorMap) -> Colors:
    masked = QColor(theme.masked).rgb()
    if mode is GridMode.WEIGHTS:
        steps = pg.colormap.get(color_map.value).getLookupTable(nPts=WEIGHT_LEVELS, mode="byte")
        return (masked, *(QColor(*map(int, step[:3])).rgb() for step in np.asarray(steps)))
    table = [masked] * 256
    for base, phase in ((PREFILL_BASE, "prefill"), (DECODE_BASE, "decode")):
        hue = QColor(getattr(theme, phase))
        for step in range(PHASE_LEVELS):
            share = FAINTEST + (1 - FAINTEST) * step / (PHASE_LEVELS - 1)
            table[base + step] = mixed(QColor(theme.bg1), hue, share).rgb()
    return tuple(table)
