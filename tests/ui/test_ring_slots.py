import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace
from pixels import color_at, is_like, painted
from PySide6.QtCore import QPointF

from kvviz.session.selection import Pointer
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.ring import EMPTY
from kvviz.trace.step import Phase
from kvviz.ui.theme import ThemeChoice
from kvviz.ui.views.axis import TIMES
from kvviz.ui.views.ring_slots import RingSlots
from kvviz.ui.views.ring_words import ring_words

SLIDING = CacheLayout(LayoutKind.SLIDING, window=8, sinks=2)


@pytest.fixture
def make(qtbot, look):
    def build(trace, cursor=None):
        view = RingSlots(FakeStore(trace, cursor=cursor), look)
        qtbot.addWidget(view)
        view.resize(740, view.sizeHint().height())
        view.show()
        return view

    return build


def ring_run(layout=SLIDING, steps=12):
    return hand_made_trace(6, 24, steps=steps, layout=layout)


def slot_place(view, slot):
    return view.rows(1.0).span(slot, slot + 1, 1, 0).center() - QPointF(1, 0)


def token_place(view, token):
    return view.tape(1.0).span(token, token + 1).center() - QPointF(1, 0)


@pytest.mark.parametrize("theme", [ThemeChoice.DARK, ThemeChoice.LIGHT])
@pytest.mark.parametrize("cursor", [0, 3, 11])
def test_each_slot_has_the_colour_of_who_wrote_its_token(make, look, theme, cursor):
    look.choose(theme)
    view = make(ring_run(), cursor)
    image = painted(view)
    for slot, token in enumerate(view.positions):
        color = color_at(image, slot_place(view, slot))
        if token != EMPTY:
            phase = Phase.PREFILL if token < 6 else Phase.DECODE
            assert is_like(color, look.color(phase.value)), slot
        else:
            assert not is_like(color, look.color("decode"))


def test_the_ring_holds_the_newest_and_the_sinks_apart(make):
    view = make(ring_run())
    assert view.seen == 17
    assert view.positions == [0, 1, 10, 11, 12, 13, 14, 15, 16, 9]
    rows = view.rows(1.0)
    assert rows.x(2) - rows.x(1) > rows.slot + 5
    assert view.slot_of(16) == 8
    assert view.slot_of(8) is None


def test_what_fell_out_is_faded(make, look):
    view = make(ring_run())
    image = painted(view)
    held, fallen = (color_at(image, token_place(view, token)) for token in (12, 7))
    assert is_like(held, look.color("decode"))
    assert held.lightness() > 1.5 * fallen.lightness()
    ahead = color_at(image, token_place(view, 20))
    assert ahead == look.color("bg0")


def test_the_newest_slot_and_token_are_outlined(make, look):
    view = make(ring_run())
    image = painted(view)
    slot, token = view.rows(1.0).columns(8, 9), view.tape(1.0).span(16, 17)
    for area in (slot, token):
        left = [color_at(image, QPointF(area.left() - x, area.center().y())) for x in (0.5, 1, 1.5)]
        assert look.color("cursor") in left


def test_the_next_slot_is_dashed(make, look):
    view = make(ring_run())
    area = view.rows(1.0).columns(9, 10)
    image = painted(view)
    edge = [
        color_at(image, QPointF(x, area.top() - 1.5)) == look.color("text")
        for x in range(int(area.left()), int(area.right()))
    ]
    assert 0 < sum(edge) < len(edge)


def test_hovering_points_at_tokens_and_says_what_is_there(make, qtbot):
    view = make(ring_run())
    qtbot.mouseMove(view, slot_place(view, 4).toPoint())
    assert view.store.pointer == Pointer(12)
    assert view.explained(slot_place(view, 4)) == (
        f"layer 1, K, slot 4: 2 {TIMES} 32 numbers of token 12 “␣you”, written in decode (step 7) "
        "over token 4 “␣on”"
    )
    qtbot.mouseMove(view, token_place(view, 7).toPoint())
    assert view.store.pointer == Pointer(7)
    assert view.explained(token_place(view, 7)) == (
        "Token 7 “␣and” fell out when token 15 was written (step 10)"
    )
    assert view.explained(token_place(view, 12)).startswith("Token 12 “␣you” is in slot 4")
    assert view.explained(slot_place(view, 1)).endswith("written in prefill (step 0)")
    assert view.token_at(token_place(view, 22)) is None
    assert view.explained(token_place(view, 22)) == ""


def test_a_token_pointed_at_elsewhere_lights_its_slot_and_its_place(make):
    view = make(ring_run())
    view.store.point(Pointer(12, 7))
    image = painted(view)
    slot, seen = view.rows(1.0).columns(4, 5), view.tape(1.0).span(7, 8)
    for area in (slot, seen):
        above = [color_at(image, QPointF(area.center().x(), area.top() - y)) for y in (0.5, 1, 1.5)]
        assert any(color.lightness() > 150 for color in above)


def test_an_empty_slot_says_so(make):
    view = make(ring_run(), cursor=0)
    assert view.positions[6:] == [EMPTY] * 4
    assert view.token_at(slot_place(view, 7)) is None
    assert view.explained(slot_place(view, 7)) == "layer 1, K, slot 7: reserved, still empty"


def test_a_wide_ring_stays_inside(make, look):
    wide = CacheLayout(LayoutKind.SLIDING, window=2000)
    view = make(hand_made_trace(2400, 30, steps=5, layout=wide))
    rows = view.rows(1.0)
    assert rows.body.right() <= view.width()
    assert view.tape(1.0).span(0, view.store.planned_rows).right() <= view.width()
    assert is_like(color_at(painted(view), slot_place(view, 700)), look.color("prefill"))


def test_other_layouts_are_not_its_own(make):
    view = make(hand_made_trace(6, 24, steps=3))
    assert view.seen == 0
    assert view.explained(QPointF(60, 60)) == ""
    painted(view)


def test_words_say_what_is_seen_held_and_next():
    pieces = [f" {place}" for place in range(20)]
    longest, *_, shortest = ring_words(SLIDING, 17, 64, pieces)
    assert "".join(text for text, _ in longest) == (
        "seen 17, held 10: 7 fell out   ·   the dashed slot 9 is written next, over token 9 “␣9”"
        "   ·   the first 2 stay (sinks)"
    )
    assert "".join(text for text, _ in shortest) == "seen 17, held 10: 7 fell out"
    first = "".join(text for text, _ in ring_words(SLIDING, 6, 64, pieces)[1])
    assert first == "seen 6, held 6   ·   the dashed slot 6 is written next"
