import numpy as np
import pytest
from fake_store import FakeStore
from hand_made import hand_made_trace
from pixels import color_at, is_like, painted
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from traced import trace_of

from kvviz.session.selection import ColorMap, Pointer
from kvviz.session.shading import WEIGHT_LEVELS
from kvviz.trace.errors import token_errors
from kvviz.ui.theme import ThemeChoice
from kvviz.ui.views.error_slots import ErrorSlots
from kvviz.ui.views.error_words import quantized_words


@pytest.fixture
def make(qtbot, look):
    def build(trace, cursor=None):
        view = ErrorSlots(FakeStore(trace, cursor=cursor), look)
        qtbot.addWidget(view)
        view.resize(740, view.sizeHint().height())
        view.show()
        return view

    return build


@pytest.fixture(scope="module")
def trace():
    return trace_of("quantized:int4+4", max_new_tokens=8, max_seq_len=20)


def slot_place(view, slot, layer=0, kind=0):
    return view.rows(1.0).span(slot, slot + 1, layer, kind).center() - QPointF(1, 0)


@pytest.mark.parametrize("theme", [ThemeChoice.DARK, ThemeChoice.LIGHT])
@pytest.mark.parametrize("color_map", list(ColorMap))
def test_the_colour_of_a_slot_is_how_much_its_token_lost(make, look, trace, theme, color_map):
    look.choose(theme)
    view = make(trace)
    view.store.select(color_map=color_map)
    image, colors = painted(view), view._colors()
    errors = token_errors(trace)
    assert errors.shape == (4, 10)
    assert np.array_equal(view.errors, errors)
    for row, token in np.ndindex(errors.shape):
        if token == 9:  # the step's own has an outline over it
            continue
        level = 1 + round(float(errors[row, token]) / view.largest * (WEIGHT_LEVELS - 1))
        color = color_at(image, slot_place(view, token, row // 2, row % 2))
        assert color == QColor.fromRgb(colors[level]), (row, token)


def test_whole_tokens_stand_apart_in_the_colour_of_their_phase(make, look, trace):
    view = make(trace, cursor=2)
    assert (view.store.rows, view.coded, view.residual) == (9, 5, 4)
    rows, image = view.rows(1.0), painted(view)
    assert rows.x(16) - rows.x(15) > rows.slot + 5
    for token, phase in ((5, "prefill"), (6, "prefill"), (7, "decode")):
        assert view.slot_of(token) == 16 + token % 4
        assert is_like(color_at(image, slot_place(view, view.slot_of(token))), look.color(phase))
    assert view.slot_of(4) == 4
    assert view.slot_of(9) is None


def test_what_the_step_wrote_and_what_became_codes_is_outlined(make, look, trace):
    view = make(trace, cursor=3)
    image = painted(view)
    for token in (view.coded - 1, view.store.rows - 1):
        slot = view.slot_of(token)
        area = view.rows(1.0).columns(slot, slot + 1)
        left = [color_at(image, QPointF(area.left() - x, area.center().y())) for x in (0.5, 1, 1.5)]
        assert look.color("cursor") in left, token


def test_hovering_says_what_a_token_lost(make, qtbot, trace):
    view = make(trace)
    place = slot_place(view, 2, 1, 1)
    qtbot.mouseMove(view, place.toPoint())
    assert view.store.pointer == Pointer(2)
    lost = 100 * float(token_errors(trace)[3, 2])
    assert view.explained(place) == (
        f"layer 1, V, slot 2: token 2 “11”, written in prefill (step 0), int4 codes that lost "
        f"{lost:.2g} % of its length"
    )
    whole = slot_place(view, view.slot_of(13), 0, 0)
    assert view.token_at(whole) == 13
    assert view.explained(whole).endswith("still whole")
    empty = slot_place(view, 12)
    assert view.token_at(empty) is None
    assert view.explained(empty) == "layer 0, K, slot 12: reserved, still empty"


def test_a_token_pointed_at_elsewhere_is_outlined(make, trace):
    view = make(trace)
    view.store.point(Pointer(12, 3))
    image = painted(view)
    for token in (12, 3):
        slot = view.slot_of(token)
        area = view.rows(1.0).columns(slot, slot + 1)
        above = [color_at(image, QPointF(area.center().x(), area.top() - y)) for y in (0.5, 1, 1.5)]
        assert any(color.lightness() > 150 for color in above), token


def test_all_may_be_whole_and_all_may_be_codes(make):
    whole = make(trace_of("quantized:int8+64", max_seq_len=20))
    assert whole.coded == 0
    assert whole.slot_of(3) == 3
    painted(whole)
    codes = make(trace_of("quantized:int8", max_seq_len=20))
    assert codes.coded == codes.store.rows
    assert codes.largest < 0.02
    painted(codes)


def test_the_bytes_that_are_said_are_those_in_use(trace):
    step = trace.steps[-1]
    layout, parts = trace.config.layout, trace.config.model.shape.cache_parts
    assert step.seq_len == 14
    assert quantized_words(trace, step)[0][1] == (f"{10 * layout.code_bytes(parts)} B", True)
    text = "".join(word for word, _ in quantized_words(trace, step)[0])
    codes, scales, whole = 10 * layout.code_bytes(parts), 10 * layout.scale_bytes(parts), 1024
    assert text == (
        f"int4 codes {codes} B + scales {scales} B + whole 1.00 KiB (formula)"
        "   ·   the newest 4 stay whole"
    )
    assert codes + scales + whole == step.measured.used


def test_before_the_first_step_and_for_other_layouts_nothing_is_there(make, trace):
    view = make(trace, cursor=-1)
    assert view.errors.shape[1] == 0
    painted(view)
    other = make(hand_made_trace(6, 24, steps=3))
    assert other.explained(QPointF(60, 60)) == ""
    painted(other)


@pytest.mark.parametrize(
    ("cursor", "padded", "first", "last"),
    [(0, [16, 17, 18], 19, 19), (2, [0, 1, 18], 19, 17), (6, [0, 1, 2], 3, 17)],
)
def test_codes_and_whole_tokens_lie_behind_padding(make, cursor, padded, first, last):
    more = {"batch": 2, "more_prompts": ((1, 2, 3, 4),)}
    trace = trace_of("quantized:int8+4", prompt_ids=(5,), max_seq_len=20, max_new_tokens=8, **more)
    assert trace.config.row_pads == (3, 0)
    view = make(trace, cursor=cursor)

    def said(slot):
        return view.explained(slot_place(view, slot))

    assert [slot for slot in range(20) if "padding" in said(slot)] == padded
    assert (view.slot_of(0), view.slot_of(view.seen - 1)) == (first, last)
    for token in range(view.seen):
        assert view.token_at(slot_place(view, view.slot_of(token))) == token
    painted(view)
