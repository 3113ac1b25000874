"""The views on paper: what a PNG shows at scale 1, an SVG shows too."""

import numpy as np
import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from traced import trace_of

from kvviz.ui.export import image_of, svg_of
from kvviz.ui.views.cache_map import CacheMap
from kvviz.ui.views.grid_view import GridView
from kvviz.ui.views.memory_chart import MemoryChart

# Text and slanted lines are smoothed differently; a block in a wrong place is far more than this.
MOST_DIFFERENT = 0.02


def pixels(image):
    """Red, green and blue as int16 [height, width, 3]."""
    image = image.convertToFormat(QImage.Format.Format_RGBA8888)
    flat = np.frombuffer(image.constBits(), np.uint8)
    return flat.reshape(image.height(), image.width(), 4)[:, :, :3].astype(np.int16)


def svg_image(data, size):
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    QSvgRenderer(data).render(painter)
    painter.end()
    return image


@pytest.mark.parametrize(
    ("kind", "size"), [(GridView, (560, 500)), (CacheMap, (700, 150)), (MemoryChart, (340, 190))]
)
def test_an_svg_shows_what_a_png_shows(qtbot, dressed, kind, size):
    compare(qtbot, kind(FakeStore(hand_made_trace(6, 24, steps=16)), dressed), size)


@pytest.mark.parametrize("text", ["paged:4", "sliding:6+1", "quantized:int4+4"])
def test_so_does_the_map_of_every_layout(qtbot, dressed, text):
    compare(qtbot, CacheMap(FakeStore(trace_of(text)), dressed), (700, 180))


def compare(qtbot, view, size):
    """Paint a view both ways."""
    qtbot.addWidget(view)
    view.resize(*size)
    view.show()
    png = pixels(image_of(view, 1))
    svg = pixels(svg_image(svg_of(view), view.size()))
    different = (np.abs(png - svg).max(axis=2) > 60).mean()
    assert len(np.unique(png.reshape(-1, 3), axis=0)) > 50
    assert different < MOST_DIFFERENT
