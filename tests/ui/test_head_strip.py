import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace
from pixels import color_at, has_color, painted
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from kvviz.session.selection import Aggregate
from kvviz.sizing.shape import ModelShape
from kvviz.ui.views.head_strip import HeadStrip


@pytest.fixture
def strip(qtbot, qapp, look):
    view = HeadStrip(FakeStore(hand_made_trace(steps=12)), look)
    qtbot.addWidget(view)
    view.resize(view.sizeHint())
    view.show()
    return view


def test_every_head_has_a_square_of_its_own_in_sight(strip):
    squares = [strip.square(head) for head in range(6)]
    for head, square in enumerate(squares):
        assert strip.rect().contains(square.toAlignedRect())
        assert not any(square.intersects(other) for other in squares[head + 1 :])


@pytest.mark.parametrize("num_heads", [1, 2, 5, 12, 32])
def test_up_to_thirty_two_heads_fit(qtbot, qapp, look, num_heads):
    shape = ModelShape(num_layers=1, num_heads=num_heads, num_kv_heads=1, head_dim=8)
    view = HeadStrip(FakeStore(hand_made_trace(steps=3, shape=shape)), look)
    qtbot.addWidget(view)
    hint = view.sizeHint()
    view.resize(hint.width(), min(hint.height(), 460))
    for head in range(num_heads):
        assert view.rect().contains(view.square(head).toAlignedRect()), head


def test_a_click_chooses_a_head_and_the_cursor_outlines_it(strip, look, qtbot):
    place = strip.square(4).center().toPoint()
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=place)
    assert strip.store.selection.head == 4
    image = painted(strip)
    middle = strip.square(4).center()
    middle.setY(strip.square(4).bottom() + 2)
    assert color_at(image, middle) == QColor(look.theme.cursor)


def test_heads_put_together_outline_none(strip, look):
    strip.store.select(head=Aggregate.MEAN)
    assert not has_color(painted(strip), QColor(look.theme.cursor))


def test_between_squares_there_is_no_head(strip):
    gap = strip.square(0).center()
    gap.setX((strip.square(0).right() + strip.square(1).left()) / 2)
    assert strip.head_at(gap) is None
    assert strip.head_at(strip.square(3).center()) == 3


def test_a_square_says_which_kv_head_it_reads(strip, qtbot):
    qtbot.mouseMove(strip, strip.square(5).center().toPoint())
    assert "KV head 1" in strip.toolTip()


def test_a_strip_without_a_run_is_empty(qtbot, qapp, look):
    view = HeadStrip(FakeStore(), look)
    qtbot.addWidget(view)
    painted(view, (172, 360))
    assert view.head_at(view.rect().center().toPointF()) is None
