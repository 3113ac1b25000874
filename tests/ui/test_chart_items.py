import numpy as np
import pytest
from chart_stand import pixels
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from kvviz.ui.theme import ThemeChoice
from kvviz.ui.views.axis import Axis
from kvviz.ui.views.chart_items import ROUND_DOTS, Bar, Dots, Line, Ring
from kvviz.ui.views.plot_scale import PlotScale

UNIT = Axis(0.0, 1.0)
SQUARE = PlotScale(QRectF(0, 0, 200, 100), UNIT, UNIT)


def paint_line(line, painter, look, scale=SQUARE):
    line.draw(scale, 200)
    line.paint(painter, look)


def painted(paint):
    image = QImage(200, 100, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.black)
    painter = QPainter(image)
    paint(painter)
    painter.end()
    return image


def test_a_line_takes_colour_and_width_from_the_look(look):
    line = Line("decode", width=2.0)
    line.set([0, 1], [0.5, 0.5])
    thin = painted(lambda painter: paint_line(line, painter, look))
    assert pixels(thin, look.color("decode")) >= 180
    look.choose(ThemeChoice.LIGHT)
    look.set_zoom(2.0)
    wide = painted(lambda painter: paint_line(line, painter, look))
    assert pixels(wide, look.color("decode")) >= 3 * 180


def test_a_line_is_as_thick_on_a_dense_screen(look):
    line = Line("decode", width=2.0)
    line.set([0, 1], [0.25, 0.25])

    def twice(painter):
        painter.scale(2, 2)
        paint_line(line, painter, look, PlotScale(QRectF(0, 0, 100, 50), UNIT, UNIT))

    assert pixels(painted(twice), look.color("decode")) >= 3 * 180


def test_the_area_under_a_line_reaches_down_to_zero(look):
    line = Line("decode", fill=1.0)
    line.set([0, 1], [0.5, 0.5])
    image = painted(lambda painter: paint_line(line, painter, look))
    assert image.pixelColor(100, 98) == look.color("decode")
    assert image.pixelColor(100, 40).red() == 0


def test_teeth_closer_than_pixels_fill_a_band_of_one_tone(look):
    line = Line("decode")
    teeth = np.tile([0.25, 0.75], 5_000)
    line.set(np.linspace(0, 1, len(teeth)), teeth)
    image = painted(lambda painter: paint_line(line, painter, look))
    inside = {image.pixelColor(x, y).rgb() for x in range(5, 195) for y in range(27, 74)}
    assert inside == {look.color("decode").rgb()}
    assert {image.pixelColor(100, y).red() for y in (20, 80)} == {0}


def test_a_level_stretch_of_a_crowded_line_is_still_seen(look):
    line = Line("decode")
    level = np.full(10_000, 0.505)
    level[5_000] = 1.0
    line.set(np.linspace(0, 1, len(level)), level)
    image = painted(lambda painter: paint_line(line, painter, look))
    assert pixels(image, look.color("decode")) >= 150


def test_a_line_holds_no_more_than_can_be_seen():
    line = Line("decode")
    line.set(np.arange(10_000), np.random.default_rng(0).random(10_000))
    line.draw(SQUARE, 300)
    assert len(line.x_px) == 600
    line.set(np.arange(10_000), np.arange(10_000) ** 2)
    line.draw(SQUARE, 300)
    assert len(line.x_px) <= 80
    assert (line.x_px[-1], line.y_px[-1]) == (SQUARE.x_px(9999.0), SQUARE.y_px(9999.0**2))
    line.clear()
    line.draw(SQUARE, 300)
    assert len(line.x_px) == 0


@pytest.mark.parametrize("shape", ["round", "dash", "up"])
@pytest.mark.parametrize("count", [0, 3, 5000])
def test_dots_of_any_shape_and_number_are_drawn(look, shape, count):
    dots = Dots("decode", 5.0, shape)
    dots.draw(np.linspace(5, 195, count), np.linspace(90, 10, count), 1.0)
    image = painted(lambda painter: dots.paint(painter, look))
    reddest = max(image.pixelColor(x, y).red() for x in range(200) for y in range(100))
    assert (reddest > 100) == (count > 0)


def test_dots_shrink_before_they_run_into_one_another(look):
    wide, close = Dots("decode"), Dots("decode")
    wide.draw(np.linspace(0, 190, 10), np.full(10, 50.0), 1.0)
    close.draw(np.linspace(0, 190, 60), np.full(60, 50.0), 1.0)
    assert wide._fitting(1.0) == 5.0
    assert 2.5 <= close._fitting(1.0) < 190 / 59
    assert wide._fitting(2.0) == 10.0


def test_a_cloud_is_drawn_as_small_squares(look):
    rng = np.random.default_rng(0)
    dots = Dots("decode")
    dots.draw(rng.random(4000) * 200, rng.random(4000) * 100, 1.0)
    assert len(dots.x_px) > ROUND_DOTS
    image = painted(lambda painter: dots.paint(painter, look))
    tones = {image.pixel(x, y) for x in range(200) for y in range(100)}
    assert tones <= {look.color("decode").rgb(), 0xFF000000}


def test_a_ring_is_its_phase_inside_the_outline(look):
    ring = Ring(0, 0, "prefill")
    image = painted(lambda painter: ring.paint(painter, look, QPointF(50, 50)))
    assert image.pixelColor(50, 50) == look.color("prefill")
    assert pixels(image, look.color("cursor")) > 4
    assert ring.box(look, QPointF(50, 50)).contains(QPointF(50, 50))


def test_a_cut_bar_carries_a_break(look):
    box = QRectF(20, 10, 9, 80)
    whole = painted(lambda p: Bar(0, 1, "prefill").paint(p, look, box))
    cut = painted(lambda p: Bar(0, 1, "prefill", cut=True).paint(p, look, box))
    assert pixels(whole, look.color("bg1")) == 0
    assert pixels(cut, look.color("bg1")) > 4
    assert cut.pixelColor(24, 60) == look.color("prefill")


def test_a_line_that_stays_as_it_is_is_not_thinned_again():
    x, y = np.arange(10_000), np.random.default_rng(0).random(10_000)
    line = Line("decode")
    line.set(x, y)
    line.draw(SQUARE, 300)
    before = line.x_px
    line.set(x, y)
    line.draw(SQUARE, 300)
    assert line.x_px is before
    line.draw(SQUARE, 200)
    assert len(line.x_px) == 400
    line.set(x, y[::-1])
    line.draw(SQUARE, 200)
    assert line.y_px[0] in SQUARE.y_px(y[-50:])
