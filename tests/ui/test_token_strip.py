import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace
from pixels import color_at, has_color, painted
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtWidgets import QApplication

from kvviz.session.selection import Pointer
from kvviz.sizing.shape import ModelShape
from kvviz.ui.views.token_strip import TokenStrip


@pytest.fixture
def make(qtbot, look):
    def build(trace, cursor=None, width=596):
        view = TokenStrip(FakeStore(trace, cursor=cursor), look)
        qtbot.addWidget(view)
        view.resize(width, view.sizeHint().height())
        view.show()
        return view

    return build


@pytest.fixture
def strip(make):
    return make(hand_made_trace(6, 24, steps=12))


def long_trace(steps=1):
    shape = ModelShape(num_layers=1, num_heads=1, num_kv_heads=1, head_dim=8)
    return hand_made_trace(4000, 90, steps=steps, shape=shape)


def roll(view, notches):
    place = QPointF(view.rect().center())
    event = QWheelEvent(
        place,
        place,
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def underline(view, token):
    chip = view.chip(token)
    return color_at(painted(view), QPointF(chip.center().x(), chip.bottom() - 1))


def test_tokens_are_underlined_in_the_colour_of_their_phase(strip, look):
    assert underline(strip, 2) == QColor(look.theme.prefill)
    assert underline(strip, 8) == QColor(look.theme.decode)


def test_the_token_just_chosen_has_the_cursors_outline_and_no_phase_yet(strip, look):
    assert strip.newest == 17
    chip = strip.chip(17)
    image = painted(strip)
    assert color_at(image, QPointF(chip.left(), chip.center().y())) == QColor(look.theme.cursor)
    assert "not fed yet" in strip.sentence(17)


def test_chips_never_overlap_and_stay_inside(strip):
    chips = [strip.chip(token) for token in strip.visible_tokens()]
    assert len(chips) == 18
    for place, chip in enumerate(chips):
        assert strip.rect().contains(chip.toAlignedRect())
        assert not any(chip.intersects(other) for other in chips[place + 1 :])


def test_stepping_back_takes_chips_away_and_moves_none(strip):
    before = [strip.chip(token) for token in range(9)]
    strip.store.seek(2)
    assert strip.newest == 8
    assert [strip.chip(token) for token in range(9)] == before


def test_hovering_points_and_a_click_goes_to_the_step_that_fed_it(strip, qtbot):
    place = strip.chip(8).center().toPoint()
    qtbot.mouseMove(strip, place)
    assert strip.store.pointer == Pointer(8)
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=place)
    assert strip.store.cursor == 3
    assert strip.sentence(3) == "token 3: “␣sat”, id 3, fed in prefill (step 0). Click to go there."


def test_a_byte_is_explained(strip):
    strip._tokens[3] = strip._tokens[3]._replace(piece="<9B>")
    assert "“9B”, id 3, one UTF-8 byte of a character" in strip.sentence(3)
    assert "UTF-8" not in strip.sentence(4)


def test_a_token_pointed_at_elsewhere_is_lit(strip, look):
    chip = strip.chip(3)
    place = QPointF(chip.left() + 3, chip.center().y())
    before = color_at(painted(strip), place)
    strip.store.point(Pointer(3))
    assert color_at(painted(strip), place) != before


def test_the_prompt_waits_without_a_phase(make, look):
    view = make(hand_made_trace(6, 24, steps=3), cursor=-1)
    image = painted(view)
    assert len(view.visible_tokens()) == 6
    assert view.newest is None
    for tone in ("prefill", "decode", "cursor"):
        assert not has_color(image, QColor(getattr(look.theme, tone)))
    assert "of the prompt" in view.sentence(0)


def test_of_thousands_only_those_in_sight_are_painted_the_newest_among_them(make):
    view = make(long_trace(steps=40))
    seen = view.visible_tokens()
    assert view.newest in seen
    assert len(seen) < 100
    view.store.grow()
    assert view.newest in view.visible_tokens()


def test_scrolled_away_it_stays_there_and_follows_again_at_the_end(make):
    view = make(long_trace(steps=40))
    roll(view, 5)
    seen = view.visible_tokens()
    assert view.newest not in seen
    view.store.grow()
    assert view.visible_tokens() == seen
    roll(view, -50)
    view.store.grow()
    assert view.newest in view.visible_tokens()


def test_another_run_takes_the_place_of_the_one_before(strip):
    strip.store.show_trace(hand_made_trace(9, 5, steps=2))
    assert strip.newest == 10
    assert len(strip.visible_tokens()) == 11


def test_narrow_lines_elide_what_is_longer_than_they_are(make):
    view = make(hand_made_trace(6, 24, steps=12), width=40)
    assert all(view.chip(token).right() <= 40 for token in range(18))
    painted(view)


@pytest.fixture
def line(make):
    view = make(long_trace(steps=40))
    view.set_lines(1)
    view.resize(596, view.sizeHint().height())
    return view


def test_a_single_line_is_full_of_the_newest(line):
    seen = line.visible_tokens()
    assert seen[-1] == line.newest
    first, last = line.chip(seen[0]), line.chip(seen[-1])
    assert first.left() == 2
    assert line.width() - first.width() - 10 < last.right() <= line.width()
    assert line.token_at(last.center()) == line.newest
    line.store.grow()
    assert line.visible_tokens()[-1] == line.newest == seen[-1] + 1


def test_a_single_line_is_scrolled_by_chips(line):
    before = line.visible_tokens()
    roll(line, 1)
    assert line.visible_tokens()[0] == before[0] - 3
    line.store.grow()
    assert line.visible_tokens()[0] == before[0] - 3
    roll(line, -2)
    assert line.newest in line.visible_tokens()
    roll(line, 9999)
    assert line.visible_tokens()[0] == 0


def test_what_is_out_of_sight_on_a_single_line_is_not_under_the_mouse(line):
    past = QPointF(line.width() - 1, line.chip(line.newest).center().y())
    assert line.token_at(past) in (line.newest, None)
    line.store.show_trace(hand_made_trace(2, 5, steps=1), cursor=-1)
    assert line.visible_tokens() == range(2)
    assert line.token_at(past) is None
