import pytest
from fake_store import FakeStore
from hand_made import concat, hand_made_trace, no_cache
from pixels import color_at, has_color, is_like, painted
from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QColor
from traced import trace_of

from kvviz.session.selection import Pointer
from kvviz.sizing.shape import ModelShape
from kvviz.ui.changes import Change
from kvviz.ui.frames import Frames
from kvviz.ui.theme import ThemeChoice
from kvviz.ui.views.axis import TIMES
from kvviz.ui.views.block_words import pool_words
from kvviz.ui.views.cache_map import CacheMap


@pytest.fixture
def make(qtbot, look):
    def build(trace, cursor=None):
        view = CacheMap(FakeStore(trace, cursor=cursor), look)
        qtbot.addWidget(view)
        view.resize(760, view.sizeHint().height())
        view.show()
        return view

    return build


def slot_color(view, slot, layer=0, kind=0):
    slots = view.slots
    image = painted(slots)
    place = slots.rows().span(slot, slot + 1, layer, kind).center()
    return color_at(image, place - QPointF(0.5, 0))


@pytest.mark.parametrize("theme", [ThemeChoice.DARK, ThemeChoice.LIGHT])
def test_slots_have_the_colour_of_who_wrote_them(make, look, theme):
    look.choose(theme)
    view = make(hand_made_trace(6, 24, steps=12))
    blue, red = QColor(look.theme.prefill), QColor(look.theme.decode)
    for slot in range(17):
        for kind in (0, 1):
            color = slot_color(view, slot, 3, kind)
            assert is_like(color, blue if slot < 6 else red), slot
    assert not is_like(slot_color(view, 40), red)


def test_bytes_are_those_measured_at_the_cursor(make):
    trace = hand_made_trace(6, 24, steps=12)
    view = make(trace)
    assert trace.steps[-1].measured.used == 34 * 1024
    assert view.usage.text == "used 34.0 KiB of 128 KiB reserved"
    view.slots.store.seek(0)
    assert view.usage.text == "used 12.0 KiB of 128 KiB reserved"
    assert view.extent.text == f"4 layers {TIMES} K,V {TIMES} 64 slots of 2 {TIMES} 32 numbers"


@pytest.mark.parametrize(("layers", "named"), [(4, [0, 1, 2, 3]), (6, [0])])
def test_k_and_v_are_named_once_where_rows_are_low(make, layers, named):
    view = make(hand_made_trace(6, 24, shape=ModelShape(layers, 6, 2, 32)))
    image, rows = painted(view.slots), view.slots.rows()

    def lettered(layer):
        beside = QRect(16, int(rows.y(layer, 0)), 15, rows.pitch - rows.gap)
        return len({image.copy(beside).pixel(x, y) for x in range(15) for y in range(8)}) > 1

    assert [layer for layer in range(layers) if lettered(layer)] == named


def test_a_batch_is_named(make):
    view = make(hand_made_trace(6, 24, steps=1, batch=4))
    assert "4 sequences" in view.extent.text
    assert view.usage.text.startswith("used 48.0 KiB")


@pytest.mark.parametrize(("layout", "slots"), [("preallocated", 20), ("concat", 18)])
def test_a_row_begins_behind_its_padding(make, look, layout, slots):
    more = {"batch": 2, "more_prompts": (tuple(range(1, 13)),)}
    trace = trace_of(layout, prompt_ids=(1, 2, 3), max_seq_len=20, max_new_tokens=7, **more)
    assert trace.config.row_pads == (9, 0)
    view = make(trace)
    rows = view.slots.rows()
    assert rows.slots == slots
    for slot, tone in ((9, "prefill"), (11, "prefill"), (13, "decode"), (16, "decode")):
        assert is_like(slot_color(view, slot), look.color(tone)), slot

    def said(slot):
        return view.slots.explained(rows.span(slot, slot + 1, 0, 0).center())

    assert said(0) == "layer 0, K, slot 0: padding, which no token sees"
    assert said(8).endswith("padding, which no token sees")
    assert "written in prefill (step 0)" in said(11)
    assert "written in decode (step 6)" in said(17)
    assert view.slots.token_at(rows.span(8, 9, 0, 0).center()) is None
    assert view.slots.token_at(rows.span(12, 13, 0, 0).center()) == 3
    view.slots.store.seek(-1)
    assert "padding" not in said(0)


def test_concat_says_what_the_step_copied_and_reserves_nothing(make, look):
    view = make(hand_made_trace(6, 24, steps=12, layout=concat()))
    assert view.usage.text == "used 34.0 KiB · concat copied 32.0 KiB in this step"
    view.usage.resize(view.usage.minimumSizeHint())
    assert view.usage.text == "copied 32.0 KiB"
    rows = view.slots.rows()
    assert rows.slots == 29
    empty = rows.span(25, 26, 0, 0).center()
    assert color_at(painted(view.slots), empty) == QColor(look.theme.bg0)
    assert view.slots.explained(empty) == ""


def test_slots_that_were_moved_again_carry_a_pattern(make, look):
    moved = make(hand_made_trace(6, 24, steps=12, layout=concat()))
    rows = moved.slots.rows()
    image = painted(moved.slots)
    span = rows.span(3, 4, 0, 0)
    shades = {
        image.pixel(x, y)
        for x in range(int(span.left()) + 1, int(span.right()) - 2)
        for y in range(int(span.top()) + 1, int(span.bottom()) - 1)
    }
    assert len(shades) > 1
    newest = rows.span(16, 17, 0, 0)
    assert color_at(image, newest.center()) == QColor(look.theme.decode)


def test_without_a_cache_it_says_so(make, look):
    view = make(hand_made_trace(6, 24, steps=12, layout=no_cache()))
    assert view.usage.text == "used 0 B"
    image = painted(view.slots)
    assert not has_color(image, QColor(look.theme.decode))
    assert has_color(image, QColor(look.theme.secondary))
    assert view.slots.token_at(QPointF(60, 10)) is None


def test_hovering_a_slot_points_at_its_token(make, qtbot):
    view = make(hand_made_trace(6, 24, steps=12))
    slots = view.slots
    place = slots.rows().span(9, 10, 1, 1).center()
    qtbot.mouseMove(slots, place.toPoint())
    assert slots.store.pointer == Pointer(9)
    assert slots.explained(place) == (
        f"layer 1, V, slot 9: 2 {TIMES} 32 numbers of “,”, written in decode (step 4)"
    )
    empty = slots.rows().span(40, 41, 1, 1).center()
    qtbot.mouseMove(slots, empty.toPoint())
    assert slots.store.pointer == Pointer()
    assert "still empty" in slots.explained(empty)


def test_a_token_pointed_at_elsewhere_is_outlined(make, look):
    view = make(hand_made_trace(6, 24, steps=12))
    assert not has_color(painted(view.slots), QColor(look.theme.text))
    view.slots.store.point(Pointer(9, 4))
    image = painted(view.slots)
    for token in (9, 4):
        area = view.slots.rows().columns(token, token + 1)
        edge = [color_at(image, QPointF(area.center().x(), area.top() - y)) for y in (0.5, 1, 1.5)]
        assert any(color.lightness() > 150 for color in edge), token


def test_what_the_step_wrote_is_outlined_in_the_cursors_colour(make, look):
    view = make(hand_made_trace(6, 24, steps=12), cursor=0)
    image = painted(view.slots)
    area = view.slots.rows().columns(0, 6)
    left = [color_at(image, QPointF(area.left() - x, area.center().y())) for x in (0.5, 1, 1.5)]
    assert QColor(look.theme.cursor) in left


def test_four_thousand_slots_of_twenty_four_layers_stay_readable(make, look):
    shape = ModelShape(num_layers=24, num_heads=1, num_kv_heads=1, head_dim=8)
    view = make(hand_made_trace(2000, 2090, steps=100, shape=shape))
    assert is_like(slot_color(view, 100, 23, 1), QColor(look.theme.prefill))
    assert is_like(slot_color(view, 2050, 23, 1), QColor(look.theme.decode))
    image = painted(view.slots)
    assert has_color(image, QColor(look.theme.cursor))


def test_before_the_first_step_nothing_is_measured(make):
    view = make(hand_made_trace(6, 24, steps=2), cursor=-1)
    assert view.usage.text == ""
    assert view.extent.text


@pytest.mark.parametrize(
    ("text", "view", "usage"),
    [
        ("paged:4", "pool", "used 3.00 KiB of 3.00 KiB reserved · slack 0 B · pool 10.0 KiB"),
        ("sliding:8", "ring", "used 2.00 KiB of 2.00 KiB reserved · slack 0 B"),
        ("quantized:int8", "errors", "used 1.13 KiB of 3.75 KiB reserved · slack 2.63 KiB"),
        ("concat", "slots", "used 3.00 KiB · concat copied 2.75 KiB in this step"),
    ],
)
def test_each_layout_has_its_own_picture_and_its_bytes(make, text, view, usage):
    made = make(trace_of(text))
    assert made.view is getattr(made, view)
    assert [shown for shown in made.views if shown.isVisible()] == [made.view]
    assert made.usage.text.startswith(usage)
    assert made.caption.isVisible() == (view != "slots")
    made.slots.store.seek(-1)
    assert made.caption.isVisible() == (view != "slots")
    assert made.usage.text == ""


def test_the_caption_is_of_the_step_that_is_drawn(make, qtbot):
    made = make(trace_of("paged:4"), cursor=0)
    store = made.slots.store
    store.frames = Frames(store)
    for index in (1, 2, 5, 0):
        store.seek(index)
        qtbot.waitUntil(lambda: store.frames.idle)
        assert made.caption.text == "".join(t for t, _ in pool_words(made.pool.picture)[0])
        assert made.pool.picture.map.lengths == (store.step.seq_len,)
    store.frames.stop()


@pytest.mark.parametrize("turns", range(1, 6))
def test_the_caption_waits_for_a_picture_that_changes_in_mid_frame(make, qtbot, turns):
    made = make(trace_of("paged:4"), cursor=0)
    store = made.slots.store
    store.frames = Frames(store)
    store.seek(1)
    for _ in range(turns):
        store.frames._next()
    store.seek(5)
    qtbot.waitUntil(lambda: store.frames.idle)
    assert made.pool.picture.map.lengths == (store.step.seq_len,)
    assert made.caption.text == "".join(t for t, _ in pool_words(made.pool.picture)[0])
    store.frames.stop()


def test_a_pool_that_was_given_back_is_empty_at_the_end_of_its_run(make, look):
    made = make(trace_of("paged:4"))
    store = made.slots.store
    store.shown.given_back = True
    store.changed.emit(Change.RUNS)
    picture, places = made.pool.picture, made.pool.places()
    assert made.usage.text == "given back: 0 B held"
    assert not any(picture.block(number).references for number in range(picture.num_blocks))
    assert not has_color(painted(made.pool), look.color("decode"))
    centre = places.pool.slots(0, 0, 1).center()
    assert made.pool.explained(centre) == "Block 0 was given back with its pool"
    store.step_by(-1)
    assert made.usage.text.startswith("used ")
    assert made.pool.block_at(centre) == 0
    assert "Token 0" in made.pool.explained(centre)


def test_pool_and_gathered_bytes_are_said_where_there_is_room(make):
    made = make(trace_of("paged:4"))
    made.resize(1200, made.height())
    assert made.usage.text.endswith("· pool 10.0 KiB · gathered 3.00 KiB")
    made.resize(420, made.height())
    assert not made.usage.is_elided


def test_what_is_painted_before_it_is_read_again_is_what_was_read(make, qtbot):
    made = make(trace_of("paged:4"))
    store = made.slots.store
    store.frames = Frames(store)
    store.frames.stop()  # nothing is read any more
    for trace in (
        trace_of("quantized:int4+4", batch=2),
        trace_of("paged:2", batch=3),
        trace_of("sliding:4"),
        hand_made_trace(6, 24, steps=1),
    ):
        store.show_trace(trace)
        for view in made.views:
            view.setVisible(True)
            painted(view)
            view.read(Change.ALL)
        store.seek(0)
        for view in made.views:
            painted(view)
            assert isinstance(view.explained(QPointF(60, 60)), str)
