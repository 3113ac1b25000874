import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF

from kvviz.ui.views.label_room import LabelRoom, Note, Placed, Spot, along, corner

BOUNDS = QRectF(0, 0, 200, 100)
SIZE = QSizeF(40, 12)


def room():
    return LabelRoom(BOUNDS, 2.0)


def test_the_first_free_corner_is_taken():
    assert room().place(SIZE, [(180, 10), (10, 10), (50, 50)]) == QRectF(10, 10, 40, 12)


def test_labels_keep_off_one_another():
    free = room()
    free.place(SIZE, [(10, 10)])
    assert free.place(SIZE, [(30, 15)]) is None
    assert free.place(SIZE, [(30, 15), (60, 10)]) == QRectF(60, 10, 40, 12)


def test_labels_keep_off_a_curve_between_its_points():
    free = room()
    free.add_curve(np.array([0.0, 200.0]), np.array([100.0, 0.0]))
    assert free.place(SIZE, [(80, 45)]) is None
    assert free.place(SIZE, [(10, 10)]) is not None
    assert free.place(SIZE, [(150, 80)]) is not None


def test_a_steep_curve_is_a_wall():
    free = room()
    free.add_curve(np.array([100.0, 100.2, 100.4]), np.array([100.0, 0.0, 90.0]))
    assert free.place(SIZE, [(80, 40)]) is None
    assert free.place(SIZE, [(105, 40)]) is not None


def test_a_curve_is_no_wall_beyond_its_ends():
    free = room()
    free.add_curve(np.array([0.0, 50.0]), np.array([50.0, 50.0]))
    assert free.place(SIZE, [(60, 45)]) is not None


def test_labels_keep_off_points_and_boxes():
    free = room()
    free.add_points(np.array([20.0]), np.array([20.0]))
    free.add_box(QRectF(100, 10, 10, 10))
    assert free.place(SIZE, [(10, 15)]) is None
    assert free.place(SIZE, [(90, 12)]) is None


def test_a_hairline_is_crossed_only_where_there_is_no_other_room():
    free = room()
    free.add_hairline(50)
    assert free.place(SIZE, [(10, 45), (10, 60)]) == QRectF(10, 60, 40, 12)
    assert free.place(SIZE, [(60, 45)]) == QRectF(60, 45, 40, 12)


def test_empty_curves_are_no_walls():
    free = room()
    free.add_curve(np.empty(0), np.empty(0))
    free.add_points(np.empty(0), np.empty(0))
    assert free.place(SIZE, [(10, 10)]) is not None


def test_a_spot_says_where_a_box_hangs():
    at = QPointF(100, 50)
    assert corner(at, Spot(0, 0, 0.0, 0.0), SIZE, 1.0) == (105, 55)
    assert corner(at, Spot(0, 0, 1.0, 1.0), SIZE, 2.0) == (50, 28)
    assert corner(at, Spot(0, 0, 0.0, 0.5, gap=9.0), SIZE, 1.0) == (109, 44)


def test_spots_along_a_curve():
    spots = along([0.0, 10.0], [0.0, 100.0], (1.0, 0.5), down=(1.0, 0.0))
    assert [(spot.x, spot.y, spot.down) for spot in spots] == [
        (10, 100, 1),
        (10, 100, 0),
        (5, 50, 1),
        (5, 50, 0),
    ]
    assert along([], [], (1.0,)) == ()


def test_words_move_apart_to_the_nearest_free_box():
    free = room()
    free.add_box(QRectF(60, 30, 80, 60))
    box, named = free.place_apart(SIZE, [QPointF(100, 70), QPointF(100, 40)])
    assert named == QPointF(100, 40)
    assert box == QRectF(60, 6, 40, 12)
    assert free.place_apart(SIZE, [named]) is None


def test_where_all_is_taken_words_cannot_move_anywhere():
    free = room()
    free.add_box(BOUNDS)
    assert free.place_apart(SIZE, [QPointF(100, 50)]) is None
    assert free.place_apart(SIZE, []) is None


def test_a_leader_joins_words_moved_away_to_what_they_name():
    note = Note("ghost", "text", (), firm=True)
    above = Placed(note, QRectF(50, 10, 40, 12), QPointF(100, 50)).leader()
    assert (above.p1(), above.p2()) == (QPointF(88, 22), QPointF(100, 50))
    below = Placed(note, QRectF(50, 60, 40, 12), QPointF(70, 50)).leader()
    assert (below.p1(), below.p2()) == (QPointF(70, 60), QPointF(70, 50))
    assert Placed(note, QRectF(50, 60, 40, 12)).leader() is None
