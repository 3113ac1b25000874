import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPolygonF

from kvviz.ui.views.textures import boxes, cell_gaps, fill, fill_rect, hatch

RED = QColor("#FF0000")


@pytest.fixture
def paint(qapp):
    def painted(draw, ratio=1.0):
        image = QImage(round(60 * ratio), round(60 * ratio), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(0xFF000000)
        painter = QPainter(image)
        draw(painter)
        painter.end()
        return image

    return painted


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_gaps_lie_at_the_right_and_below_each_cell(paint, ratio):
    tile = cell_gaps(10 * ratio, 10 * ratio, ratio, 0, RED)
    square = QPolygonF(QRectF(5, 5, 40, 40))
    image = paint(lambda p: fill(p, square, tile, QPointF(5, 5), ratio), ratio)

    def red(x, y):
        return image.pixelColor(int(x * ratio), int(y * ratio)) == RED

    for cell in range(4):
        assert red(5 + 10 * cell + 9.5, 8)
        assert red(8, 5 + 10 * cell + 9.5)
        assert not red(5 + 10 * cell + 4, 9)
    assert not red(3, 8)
    assert not red(46, 8)


def test_a_pattern_begins_where_it_is_told(paint):
    tile = boxes(8, 8, RED, 1)
    image = paint(lambda p: fill_rect(p, QRectF(3, 3, 32, 8), tile, 1.0))
    assert image.pixelColor(3, 5) == RED
    assert image.pixelColor(4, 5) != RED
    assert image.pixelColor(3 + 6, 5) == RED
    assert image.pixelColor(3 + 7, 5) != RED  # the space between two boxes


def test_a_hatch_leaves_most_of_its_ground_in_sight(paint):
    image = paint(lambda p: fill_rect(p, QRectF(0, 0, 60, 60), hatch(RED, 6), 1.0))
    touched = sum(image.pixelColor(x, y).red() > 60 for x in range(60) for y in range(60))
    assert 0.05 < touched / 3600 < 0.5
