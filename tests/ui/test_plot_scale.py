import numpy as np
import pytest
from PySide6.QtCore import QRectF

from kvviz.ui.views.axis import Axis
from kvviz.ui.views.plot_scale import PlotScale

SCALE = PlotScale(QRectF(40, 20, 300, 100), Axis(0, 60), Axis(0, 200), 1.0)


def test_corners_are_where_the_axes_end():
    assert SCALE.to_pixel(0, 0).toTuple() == (40, 120)
    assert SCALE.to_pixel(60, 200).toTuple() == (340, 20)


def test_arrays_and_numbers_go_the_same_way_and_back():
    x = np.linspace(0, 60, 7)
    assert SCALE.x_px(x).tolist() == [SCALE.x_px(float(v)) for v in x]
    assert [SCALE.x_at(SCALE.x_px(float(v))) for v in x] == pytest.approx(x.tolist())
    assert SCALE.y_at(SCALE.y_px(130.0)) == pytest.approx(130.0)


def test_an_inset_leaves_room_at_both_ends_and_grows_with_the_zoom():
    inset = PlotScale(QRectF(40, 20, 300, 100), Axis(0, 60, inset=5), Axis(0, 200), 2.0)
    assert inset.x_px(0.0) == 50
    assert inset.x_px(60.0) == 330
