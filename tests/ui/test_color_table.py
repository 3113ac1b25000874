import numpy as np
import pytest
from PySide6.QtGui import QColor

from kvviz.session.selection import ColorMap, GridMode, Selection
from kvviz.ui.theme import DARK, LIGHT
from kvviz.ui.views.color_table import color_table, index_image


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_phases_run_from_visibly_hued_to_full(theme):
    table = color_table(theme, Selection())
    assert table[0] == QColor(theme.masked).rgb()
    assert table[127] == QColor(theme.prefill).rgb()
    assert table[254] == QColor(theme.decode).rgb()
    faint_blue, faint_red = QColor(table[1]), QColor(table[128])
    assert faint_blue.blue() > faint_blue.red() + 25
    assert faint_red.red() > faint_red.blue() + 25


@pytest.mark.parametrize("color_map", list(ColorMap))
def test_weights_grow_lighter_with_the_weight(color_map):
    table = color_table(DARK, Selection(mode=GridMode.WEIGHTS, color_map=color_map))
    assert len(table) == 256
    lightness = [QColor(color).lightness() for color in table[1:]]
    assert lightness[-1] > lightness[0] + 60
    assert QColor(table[1]) != QColor(DARK.masked)


def test_the_two_colour_maps_differ():
    tables = [
        color_table(DARK, Selection(mode=GridMode.WEIGHTS, color_map=color_map))
        for color_map in ColorMap
    ]
    assert tables[0] != tables[1]


def test_an_image_of_indices_has_their_colours():
    table = color_table(DARK, Selection())
    wide = np.zeros((3, 8), np.uint8)
    wide[1, 2] = 254
    image = index_image(wide[:, 1:6], table)
    assert (image.width(), image.height()) == (5, 3)
    assert image.pixel(1, 1) == table[254]
    assert image.pixel(0, 0) == table[0]
