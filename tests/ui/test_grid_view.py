from itertools import pairwise

import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace, no_cache
from pixels import color_at, has_color, is_like, painted
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtWidgets import QApplication

from kvviz.session.selection import GridMode, Pointer
from kvviz.sizing.shape import ModelShape
from kvviz.ui.theme import ThemeChoice
from kvviz.ui.views.grid_view import GridView

SIZE = (560, 500)


@pytest.fixture
def shown(qapp):
    return FakeStore(hand_made_trace(6, 24, steps=12))


@pytest.fixture
def grid(qtbot, shown, look):
    view = GridView(shown, look)
    qtbot.addWidget(view)
    view.resize(*SIZE)
    view.show()
    return view


def cell_color(view, row, key, ratio=1.0):
    image = painted(view, ratio=ratio)
    return color_at(image, view.camera.cell_rect(row, key).center())


def wheel(view, place, notches):
    event = QWheelEvent(
        QPointF(place),
        QPointF(view.mapToGlobal(QPoint(int(place.x()), int(place.y())))),
        QPoint(),
        QPoint(0, round(120 * notches)),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


@pytest.mark.parametrize("theme", [ThemeChoice.DARK, ThemeChoice.LIGHT])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_prefill_is_blue_decode_red_the_future_black(grid, look, theme, ratio):
    look.choose(theme)
    blue, red = QColor(look.theme.prefill), QColor(look.theme.decode)
    image = painted(grid, ratio=ratio)
    for row in range(17):
        for key in range(row + 1):
            color = color_at(image, grid.camera.cell_rect(row, key).center())
            assert is_like(color, blue if row < 6 else red), (row, key, color.name())
    for row, key in ((0, 1), (5, 6), (16, 17), (3, 28)):
        assert cell_color(grid, row, key, ratio).name().upper() == look.theme.masked


def test_rows_not_yet_computed_are_neither_black_nor_hued(grid, look):
    color = cell_color(grid, 25, 3)
    assert color != QColor(look.theme.masked)
    assert not is_like(color, QColor(look.theme.prefill)) or color.hslSaturation() < 60


def test_stepping_back_takes_rows_away_without_another_picture(grid, shown, look):
    picture = shown.pictures.grid
    shown.seek(4)
    assert shown.pictures.grid is picture
    assert is_like(cell_color(grid, 9, 0), QColor(look.theme.decode))
    assert not is_like(cell_color(grid, 10, 0), QColor(look.theme.decode))
    shown.seek(11)
    assert is_like(cell_color(grid, 10, 0), QColor(look.theme.decode))


def test_brightness_follows_the_weight_and_can_be_switched_off(grid, shown, look):
    row = shown.pictures.grid.levels[0][16, :17].astype(int)
    strong, weak = int(row.argmax()), int(row.argmin())
    bright = [cell_color(grid, 16, key).valueF() for key in (strong, weak)]
    assert bright[0] > bright[1] + 0.1
    shown.select(brightness=False)
    assert cell_color(grid, 16, strong) == cell_color(grid, 16, weak) == QColor(look.theme.decode)


def test_the_newest_row_has_the_cursors_outline(grid, shown, look):
    assert grid.newest == range(16, 17)
    image = painted(grid)
    assert has_color(image, QColor(look.theme.cursor))
    shown.seek(0)
    assert grid.newest == range(0, 6)


def test_without_a_cache_every_row_is_computed_anew(qtbot, qapp, look):
    view = GridView(FakeStore(hand_made_trace(steps=5, layout=no_cache())), look)
    qtbot.addWidget(view)
    assert view.newest == range(0, 10)


def test_one_decode_row_is_seen_among_four_thousand(qtbot, qapp, look):
    shape = ModelShape(num_layers=1, num_heads=1, num_kv_heads=1, head_dim=8)
    trace = hand_made_trace(2048, 2048, steps=2, shape=shape)
    view = GridView(FakeStore(trace), look)
    qtbot.addWidget(view)
    view.resize(*SIZE)
    view.store.point(Pointer())
    image = painted(view)
    x = view.camera.x(300)
    column = [image.pixelColor(int(x), y) for y in range(image.height())]
    # The outline is amber; between its lines the row itself is left in sight.
    assert any(is_like(color, QColor(look.theme.decode), 6) for color in column)


def test_a_new_row_is_drawn_as_the_run_grows(grid, shown, look):
    before = QPointF(grid.camera.origin)
    shown.grow()
    assert grid.newest == range(17, 18)
    assert is_like(cell_color(grid, 17, 0), QColor(look.theme.decode))
    assert grid.camera.origin == before


def test_labels_are_not_clipped_at_the_edges(qtbot, qapp, look, monkeypatch):
    trace = hand_made_trace(12, 4)
    long = FakeStore(trace)
    for token in trace.tokens:
        assert token.piece
    view = GridView(long, look)
    qtbot.addWidget(view)
    monkeypatch.setattr(view, "_pieces", ["incomprehensibilities"] * 15)
    image = painted(view, SIZE)
    ground = QColor(look.theme.bg0).rgb()
    assert all(image.pixel(1, y) == ground for y in range(image.height()))
    assert all(image.pixel(x, 1) == ground for x in range(image.width()))
    assert all(image.pixel(image.width() - 2, y) == ground for y in range(image.height()))


def test_labels_are_words_with_room_and_places_without(grid, qtbot, qapp, look):
    assert grid.labels().in_words
    assert grid.labels().row_text(2) == "cat"
    assert grid.labels().shown_rows() == list(range(17))
    many = GridView(FakeStore(hand_made_trace(120, 120, steps=80)), look)
    qtbot.addWidget(many)
    many.resize(*SIZE)
    many.show()
    labels = many.labels()
    assert not labels.in_words
    assert labels.row_text(32) == "32"
    rows = labels.shown_rows([100])
    assert 100 in rows
    assert min(b - a for a, b in pairwise(rows)) * many.camera.cell >= 10


def test_hovering_points_at_row_and_key(grid, shown, qtbot):
    place = grid.camera.cell_rect(8, 2).center().toPoint()
    qtbot.mouseMove(grid, place)
    assert shown.pointer == Pointer(8, 2)
    qtbot.mouseMove(grid, QPoint(3, 3))
    assert shown.pointer == Pointer()


def test_a_click_sets_the_cell_cursor_where_something_was_computed(grid, shown, qtbot):
    def click(row, key):
        place = grid.camera.cell_rect(row, key).center().toPoint()
        qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=place)

    click(8, 2)
    assert shown.selection.cell == (8, 2)
    click(2, 8)
    assert shown.selection.cell is None


def test_ctrl_and_arrows_move_the_cell_cursor_and_esc_clears_it(grid, shown, qtbot):
    qtbot.keyClick(grid, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert shown.selection.cell == (15, 15)
    qtbot.keyClick(grid, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert shown.selection.cell == (15, 14)
    assert "score" in grid.accessibleDescription()
    qtbot.keyClick(grid, Qt.Key.Key_Escape)
    assert shown.selection.cell is None


def test_the_cell_cursor_is_brought_into_sight(grid, shown):
    grid.camera.zoom(4.0, grid.camera.viewport.topLeft())
    assert grid.camera.rows[1] < 16
    shown.select(cell=(16, 16))
    assert grid.camera.viewport.contains(grid.camera.cell_rect(16, 16))


def test_the_wheel_zooms_at_the_mouse_and_f_fits(grid, qtbot):
    place = grid.camera.cell_rect(10, 4).center()
    wheel(grid, place, 3)
    assert not grid.camera.fitted
    row, key = grid.cell_at(place)
    assert abs(row - 10) <= 1
    assert abs(key - 4) <= 1
    qtbot.keyClick(grid, Qt.Key.Key_F)
    assert grid.camera.fitted
    qtbot.keyClick(grid, Qt.Key.Key_1)
    assert grid.camera.cell == 16.0


def test_dragging_pans_and_sets_no_cell(grid, shown, qtbot):
    wheel(grid, grid.camera.viewport.center(), 6)
    origin = QPointF(grid.camera.origin)
    start = grid.camera.viewport.center().toPoint()
    qtbot.mousePress(grid, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(grid, start - QPoint(40, 30))
    qtbot.mouseRelease(grid, Qt.MouseButton.LeftButton, pos=start - QPoint(40, 30))
    assert grid.camera.origin == origin - QPointF(40, 30)
    assert shown.selection.cell is None


def test_a_token_pointed_at_elsewhere_lights_its_row_and_column(grid, shown):
    plain = cell_color(grid, 8, 2), cell_color(grid, 12, 8), cell_color(grid, 3, 1)
    shown.point(Pointer(8))
    lit = cell_color(grid, 8, 2), cell_color(grid, 12, 8), cell_color(grid, 3, 1)
    assert lit[0] != plain[0]
    assert lit[1] != plain[1]
    assert lit[2] == plain[2]


def test_the_weights_view_uses_the_colour_map(grid, shown, look):
    shown.select(mode=GridMode.WEIGHTS)
    row = shown.pictures.grid.levels[0][16, :17].astype(int)
    color = cell_color(grid, 16, int(row.argmax()))
    assert color.red() > 200  # the bright end of viridis is yellow
    assert color.green() > 200
    assert color.blue() < 120


def test_it_paints_before_the_first_step_and_without_a_run(qtbot, qapp, look):
    waiting = GridView(FakeStore(hand_made_trace(6, 24, steps=3), cursor=-1), look)
    qtbot.addWidget(waiting)
    image = painted(waiting, SIZE)
    assert waiting.labels().shown_rows() == list(range(6))
    assert not has_color(image, QColor(look.theme.cursor))
    empty = GridView(FakeStore(), look)
    qtbot.addWidget(empty)
    assert empty.cell_at(QPointF(200, 200)) is None
    assert painted(empty, SIZE).pixelColor(200, 200) != QColor(look.theme.masked)


@pytest.mark.parametrize("mode", GridMode)
def test_rows_still_being_shaded_are_flat_in_their_phase(grid, shown, look, mode):
    shown.select(mode=mode)
    shown.pictures.grid.rows = 3
    for row, phase in ((4, "prefill"), (12, "decode"), (16, "decode")):
        colors = {cell_color(grid, row, key).name() for key in range(row + 1)}
        assert len(colors) == 1
        assert is_like(QColor(colors.pop()), look.color(phase))
    assert not is_like(cell_color(grid, 20, 3), look.color("decode"))


def test_rows_not_shaded_have_the_colour_they_will_keep_where_weights_do_not_count(
    grid, shown, look
):
    shown.select(brightness=False)
    shown.pictures.grid.rows = 10
    assert cell_color(grid, 12, 0) == look.color("decode")
