import numpy as np
import pytest
from chart_stand import holds, move_mouse, pixels, put_up
from PySide6.QtCore import QPoint, QRectF, Qt

from kvviz.ui.theme import ThemeChoice
from kvviz.ui.views.axis import Axis, byte_axis, token_axis
from kvviz.ui.views.chart import Chart
from kvviz.ui.views.chart_items import Bar, Dots, Line, Ring
from kvviz.ui.views.label_room import Note, Spot, along


@pytest.fixture
def chart(qtbot, look):
    chart = Chart(look)
    chart.line = chart.add_line(Line("decode"))
    chart.dots = chart.add_dots(Dots("prefill"))
    return put_up(qtbot, chart, 340, 170)


def reddest_near(image, x, y):
    near = image.copy(x - 3, y - 3, 7, 7)
    return max(near.pixelColor(i, j).red() for i in range(7) for j in range(7))


def show(chart, **more):
    chart.line.set([0, 64], [0, 200 * 1024])
    chart.show_data(token_axis(64), byte_axis(200 * 1024), **more)


def test_the_plot_leaves_room_for_its_numbers(chart):
    show(chart)
    plot, numbers = chart.scale_of_plot.rect, chart.numbers()
    assert [text for text, _ in numbers] == ["200 KiB", "100", "0", "0", "64", "32 tokens"]
    for _, box in numbers:
        assert holds(QRectF(chart.rect()), box)
        assert not plot.adjusted(1, 1, -1, -1).intersects(box)


def test_the_curve_is_drawn_where_the_scale_says(chart, look):
    show(chart)
    image = chart.grab().toImage()
    for x in (2, 32, 62):
        at = chart.scale_of_plot.to_pixel(x, x * 200 * 1024 / 64).toPoint()
        assert reddest_near(image, at.x(), at.y()) > 180
        assert reddest_near(image, at.x() + 30, at.y()) < 60


def test_the_plot_follows_size_and_zoom(chart, look):
    show(chart)
    before = chart.scale_of_plot.rect
    chart.resize(680, 340)
    look.set_zoom(2.0)
    after = chart.scale_of_plot.rect
    assert after.topLeft() == before.topLeft() * 2
    assert after.width() == pytest.approx(2 * before.width(), abs=1)
    for _, box in chart.numbers():
        assert holds(QRectF(chart.rect()), box)


@pytest.mark.parametrize("choice", [ThemeChoice.DARK, ThemeChoice.LIGHT])
def test_colours_follow_the_theme(chart, look, choice):
    look.choose(choice)
    chart.dots.set([32], [40 * 1024])
    show(chart)
    image = chart.grab().toImage()
    assert image.pixelColor(2, 2) == look.color("bg1")
    assert pixels(image, look.color("prefill")) > 3
    assert pixels(image, look.color("line")) > 100


def test_axis_numbers_never_touch(chart):
    crowded = Axis(0, 64, ((0, "prefill"), (5, "decode 5"), (63, "decode 63"), (64, "64")))
    chart.show_data(crowded, byte_axis(1024))
    written = [box for text, box in chart.numbers() if text not in ("0", "1 KiB", "0.5")]
    assert len(written) == 2
    assert not written[0].intersects(written[1])


def test_names_stand_clear_of_lines_dots_bars_and_ring(chart):
    line = along([0, 64], [0, 200 * 1024], (0.5, 0.75, 0.9))
    chart.dots.set(np.arange(20, 40), np.full(20, 150 * 1024))
    show(
        chart,
        notes=lambda: [Note("formula", "text", line), Note("measured", "text", line)],
        bars=[Bar(0, 150 * 1024, "prefill")],
        cursor=Ring(40, 125 * 1024, "decode"),
    )
    boxes = chart.labels()
    assert set(boxes) == {"formula", "measured"}
    assert not boxes["formula"].intersects(boxes["measured"])
    for box in boxes.values():
        assert holds(chart.scale_of_plot.rect, box)
        for x in np.linspace(box.left(), box.right(), 50):
            at = chart.scale_of_plot.x_at(x)
            y = chart.scale_of_plot.y_px(at * 200 * 1024 / 64)
            assert not box.top() <= y <= box.bottom()


def test_a_name_without_room_is_left_out(chart):
    show(chart, notes=lambda: [Note("nowhere", "text", (Spot(32, 100 * 1024, 0.5, 0.5, 0.0),))])
    assert chart.labels() == {}


def test_a_pointer_moves_no_name(chart):
    spots = along([0, 64], [0, 200 * 1024], (0.5,))
    show(chart, notes=lambda: [Note("formula", "text", spots)])
    before = chart.labels()
    box = before["formula"]
    at = chart.scale_of_plot
    ring = Ring(at.x_at(box.center().x()), at.y_at(box.center().y()), "decode", "text")
    chart.show_pointer(ring)
    assert chart.labels() == before
    assert chart.pointer_ring == ring


def test_the_mouse_is_told_in_data_units(qtbot, chart):
    show(chart)
    said = []
    chart.hovered.connect(said.append)
    at = chart.scale_of_plot.to_pixel(16, 0)
    move_mouse(chart, at.x(), at.y())
    assert said == [pytest.approx(16)]
    with qtbot.waitSignal(chart.clicked) as clicked:
        qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(round(at.x()), 60))
    assert clicked.args == [pytest.approx(16, abs=0.2)]


def test_lines_are_cut_not_far_beyond_the_plot(chart, look):
    chart.line.set([0, 64], [300 * 1024, 300 * 1024])
    chart.show_data(token_axis(64), byte_axis(200 * 1024))
    assert pixels(chart.grab().toImage(), look.color("decode")) == 0


def test_held_words_are_not_looked_for(chart):
    asked = []

    def notes():
        asked.append(True)
        return [Note("formula", "text", along([0, 64], [0, 200 * 1024], (0.5,)))]

    show(chart, notes=notes)
    before = chart.labels()
    chart.holds_words = True
    show(chart, notes=notes)
    assert chart.labels() == before
    assert len(asked) == 1
    chart.place_words()
    assert chart.labels() == before
    assert len(asked) == 2


def test_a_firm_name_moves_away_and_is_joined_to_its_line(chart, look):
    spots = along([0, 64], [0, 200 * 1024], (0.5,))
    names = [Note("own", "text", spots), Note("ghost", "ghost_text", spots, firm=True)]
    show(chart, notes=lambda: names)
    boxes, leaders = chart.labels(), chart.leaders()
    assert set(boxes) == {"own", "ghost"}
    assert not boxes["own"].intersects(boxes["ghost"])
    assert set(leaders) == {"ghost"}
    at = chart.scale_of_plot.to_pixel(32, 100 * 1024)
    assert (leaders["ghost"].p2() - at).manhattanLength() < 1
    assert pixels(chart.grab().toImage(), look.color("ghost_text")) > 3
