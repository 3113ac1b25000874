import numpy as np
import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace
from pixels import painted
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from kvviz.session.head_words import kind_sentence, no_head_reason, strongest_words
from kvviz.sizing.shape import ModelShape
from kvviz.trace.head_kinds import HeadKind, HeadScores
from kvviz.ui.views.grid_menu import GridMenu
from kvviz.ui.views.grid_view import GridView
from kvviz.ui.views.head_mark import paint_mark
from kvviz.ui.views.head_strip import HeadStrip

LAYERS, HEADS = 2, 6


def scores_of(layers=LAYERS, heads=HEADS):
    previous, induction, sink = np.zeros((3, layers, heads), np.float32)
    previous[0, 1], induction[1, 3], sink[0, 2] = 0.81, 0.93, 0.4
    return HeadScores(previous, induction, sink, 97)


@pytest.fixture
def store(qapp):
    store = FakeStore(hand_made_trace(steps=12))
    store.heads = scores_of()
    return store


@pytest.fixture
def strip(qtbot, store, look):
    view = HeadStrip(store, look)
    qtbot.addWidget(view)
    view.resize(view.sizeHint())
    view.show()
    return view


@pytest.fixture
def menu(qtbot, store, look):
    grid = GridView(store, look)
    qtbot.addWidget(grid)
    menu = GridMenu(store, grid)
    qtbot.addWidget(menu)
    menu.grid = grid
    return menu


def below(strip, head):
    """What is painted under a head's square, as numbers."""
    image, square = painted(strip), strip.square(head)
    room = QRectF(square.left(), square.bottom() + 4, square.width(), 13).toRect()
    return np.array([[image.pixel(x, y) for x in range(room.left(), room.right())]
                     for y in range(room.top(), room.bottom())])  # fmt: skip


def test_a_measured_kind_stands_below_its_head(strip):
    assert len(np.unique(below(strip, 1))) > 1
    assert len(np.unique(below(strip, 0))) == 1


def test_without_measurements_the_squares_keep_their_places(qtbot, strip, store, look):
    store.heads = None
    plain = HeadStrip(store, look)
    qtbot.addWidget(plain)
    assert plain.sizeHint().height() < strip.sizeHint().height()


def test_the_tooltip_says_the_score_and_how_it_was_measured(qtbot, strip):
    qtbot.mouseMove(strip, strip.square(1).center().toPoint())
    said = strip.toolTip()
    assert "Previous-token head, measured: 0.81" in said
    assert "97 tokens" in said
    qtbot.mouseMove(strip, strip.square(0).center().toPoint())
    assert "measured" not in strip.toolTip()


def test_the_layer_shown_decides(qtbot, strip, store):
    store.select(layer=1)
    qtbot.mouseMove(strip, strip.square(3).center().toPoint())
    assert "Induction head, measured: 0.93" in strip.toolTip()


def test_many_heads_are_marked_beside_their_names(qtbot, qapp, look):
    shape = ModelShape(num_layers=1, num_heads=32, num_kv_heads=1, head_dim=8)
    store = FakeStore(hand_made_trace(steps=3, shape=shape))
    plain = HeadStrip(store, look)
    qtbot.addWidget(plain)
    size = (plain.sizeHint().width(), 460)
    before = painted(plain, size)
    all_of_them, none = np.ones((1, 32), np.float32), np.zeros((1, 32), np.float32)
    store.heads = HeadScores(all_of_them, none, none, 97)
    marked = HeadStrip(store, look)
    qtbot.addWidget(marked)
    assert painted(marked, size) != before
    assert marked.square(31) == plain.square(31)


@pytest.mark.parametrize("kind", list(HeadKind))
def test_every_kind_has_a_sign_of_its_own(qapp, kind):
    signs = []
    for one in HeadKind:
        image = QImage(18, 18, QImage.Format.Format_RGB32)
        image.fill(QColor("black"))
        painter = QPainter(image)
        paint_mark(painter, QRectF(0, 0, 18, 18), one, QColor("white"))
        painter.end()
        signs.append((one, image))
    own = next(image for one, image in signs if one is kind)
    assert all(image != own for one, image in signs if one is not kind)


def test_the_menu_leads_to_the_strongest_head_of_a_kind(menu, store):
    action = menu.jumps[HeadKind.INDUCTION]
    assert action.text() == "Induction head: layer 1, head 3 (0.93)"
    action.trigger()
    assert (store.selection.layer, store.selection.head) == (1, 3)


def test_where_there_is_none_the_menu_says_why(menu, store):
    store.heads = None
    menu.follow()
    action = menu.jumps[HeadKind.PREVIOUS]
    assert not action.isEnabled()
    assert "trained" in action.toolTip()
    zero = np.full((LAYERS, HEADS), 0.2, np.float32)
    store.heads = HeadScores(zero, zero, zero, 97)
    menu.follow()
    assert "0.20 of 0.6" in action.toolTip()


def test_words_for_a_head_of_no_kind_are_none():
    scores = scores_of()
    assert kind_sentence(scores, 0, 0) == ""
    assert no_head_reason(scores, HeadKind.SINK) == ""
    assert strongest_words(scores, HeadKind.SINK) == "layer 0, head 2 (0.40)"
