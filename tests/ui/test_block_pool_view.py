import pytest
from fake_store import FakeStore
from pixels import color_at, has_color, is_like, painted
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor
from traced import shared_trace, trace_of

from kvviz.session.pool_picture import Place
from kvviz.session.selection import Pointer
from kvviz.ui.theme import ThemeChoice
from kvviz.ui.views.block_pool_view import BlockPoolView

UNEQUAL = {"batch": 3, "more_prompts": ((1, 2, 3), (5,) * 9)}


@pytest.fixture
def make(qtbot, look):
    def build(trace, cursor=None, height=None):
        view = BlockPoolView(FakeStore(trace, cursor=cursor), look)
        qtbot.addWidget(view)
        view.resize(740, height or view.sizeHint().height())
        view.show()
        return view

    return build


def slot_area(view, number, slot):
    return view.places(1.0).pool.slots(number, slot, slot + 1)


def inside(area: QRectF):
    """A place in a slot where neither a gap nor an outline is."""
    return area.center() - QPointF(1, 0)


def shades(image, area):
    return {
        image.pixel(x, y)
        for x in range(int(area.left()) + 3, int(area.right()) - 2)
        for y in range(int(area.top()) + 3, int(area.bottom()) - 2)
    }


@pytest.mark.parametrize("theme", [ThemeChoice.DARK, ThemeChoice.LIGHT])
@pytest.mark.parametrize("fields", [{}, UNEQUAL], ids=["one", "unequal"])
def test_slots_have_the_colour_of_who_wrote_them(make, look, theme, fields):
    look.choose(theme)
    view = make(trace_of("paged:4", **fields))
    image, picture = painted(view), view.picture
    for row, length in enumerate(picture.map.lengths):
        for token in range(length):
            color = color_at(image, inside(slot_area(view, *picture.slot_of(token, row))))
            assert is_like(color, look.color(picture.phase_of(row, token).value)), (row, token)


def test_reserved_slots_without_a_token_are_hatched_and_free_blocks_are_not(make, look):
    view = make(trace_of("paged:4", max_new_tokens=3, max_seq_len=20))
    image, picture = painted(view), view.picture
    last = picture.map.tables[0][-1]
    block = picture.block(last)
    assert (block.filled, picture.size) == (1, 4)
    empty = view.places(1.0).pool.slots(last, 1)
    assert len(shades(image, empty)) > 2
    blank = view.places(1.0).pool.slots(picture.map.blank[0])
    assert shades(image, blank) == {QColor(look.theme.bg0).rgb()}
    edge = QPointF(blank.left() + 0.5, blank.center().y())
    assert color_at(image, edge) == QColor(look.theme.line)


def test_what_the_step_wrote_is_lit_and_outlined(make, look):
    view = make(trace_of("paged:4"))
    image, picture = painted(view), view.picture
    (number, slot), *_ = picture.map.written
    area = slot_area(view, number, slot)
    assert color_at(image, inside(area)) == look.color("decode")
    sides = [color_at(image, QPointF(area.left() - x, area.center().y())) for x in (0.5, 1, 1.5)]
    assert look.color("cursor") in sides
    older = slot_area(view, *picture.slot_of(8))
    assert color_at(image, inside(older)) != look.color("decode")


def test_found_blocks_are_hatched_in_the_prefills_hue(make, look):
    view = make(shared_trace("paged:4", (1, 2, 3, 4, 5, 6, 7), (1, 2, 3, 4, 9, 9, 7)), cursor=0)
    number = view.picture.map.tables[0][0]
    image = painted(view)
    found = shades(image, view.places(1.0).pool.slots(number, 0, 1))
    assert QColor(look.theme.not_yet).rgb() in found
    assert any(is_like(QColor.fromRgb(shade), look.color("prefill")) for shade in found)


def test_hovering_a_slot_points_at_its_token_and_says_what_it_is(make, qtbot):
    view = make(trace_of("paged:4"))
    picture = view.picture
    number, slot = picture.slot_of(8)
    place = inside(slot_area(view, number, slot))
    qtbot.mouseMove(view, place.toPoint())
    assert view.store.pointer == Pointer(8)
    hashed = picture.block(number).hash_text
    assert view.explained(place) == (
        f"Token 8 “50” in block {number}, slot 0 of 4 ({hashed}): sequence 1's logical block 2, "
        "1 reference, written in decode (step 2)"
    )


def test_prompts_of_their_own_point_at_nothing_in_the_grid(make):
    view = make(trace_of("paged:4", **UNEQUAL))
    number, slot = view.picture.slot_of(2, row=1)
    place = inside(slot_area(view, number, slot))
    assert view.token_at(place) is None
    assert view.explained(place).startswith(f"Token 2 in block {number}, slot 2 of 4")
    assert "sequence 2's logical block 0" in view.explained(place)


def test_what_is_empty_or_free_says_so(make):
    view = make(trace_of("paged:4", max_new_tokens=3, max_seq_len=24))
    picture, pool = view.picture, view.places(1.0).pool
    last = picture.map.tables[0][-1]
    empty = inside(slot_area(view, last, 3))
    assert view.token_at(empty) is None
    assert view.explained(empty).endswith("reserved for sequence 1's logical block 2, still empty")
    first, second = picture.map.blank[:2]
    assert view.explained(pool.slots(first).center()) == (
        f"Block {first} is free: the next to be taken"
    )
    assert view.explained(pool.slots(second).center()).endswith("taken after 1 other")
    heading = pool.whole(last).topLeft() + QPointF(2, 2)
    assert view.explained(heading).endswith("1 of 4 slots filled, 1 reference")
    assert view.explained(QPointF(1, 1)) == ""


def test_a_token_pointed_at_elsewhere_lights_its_slot_its_box_and_its_wire(make, look):
    view = make(trace_of("paged:4"))
    white = look.color("text")
    before = painted(view)
    view.store.point(Pointer(9, 2))
    image = painted(view)
    for token in (9, 2):
        area = slot_area(view, *view.picture.slot_of(token))
        above = [QPointF(area.center().x(), area.top() - y) for y in (0.5, 1.5)]
        assert any(color_at(image, p).lightness() > 150 for p in above), token
        box = view.places(1.0).tables.rect(Place(0, token // 4))
        middle = QPointF(box.left(), box.center().y())
        assert color_at(image, middle) != color_at(before, middle)
    box, whole = view.places(1.0).tables.rect(Place(0, 2)), view.places(1.0).pool.whole(2)
    room = range(int(box.bottom()) + 2, int(whole.top()) - 5)
    columns = range(int(box.left()), int(whole.right()))
    lit = [y for y in room if any(image.pixel(x, y) == white.rgb() for x in columns)]
    assert lit


def test_copies_of_a_prompt_are_lit_together(make):
    view = make(trace_of("paged:4", batch=3))
    view.store.point(Pointer(5))
    assert sorted(view._lit()) == sorted(view.picture.map.tables[row][1] for row in range(3))


def test_hovering_a_table_box_lights_its_block(make, qtbot):
    view = make(trace_of("paged:4"))
    box = view.places(1.0).tables.rect(Place(0, 1))
    qtbot.mouseMove(view, box.center().toPoint())
    number = view.picture.map.tables[0][1]
    assert view.block_at(box.center()) == number
    assert view._lit() == {number: set()}
    assert view.explained(box.center()).startswith(f"Block {number} (#")


def test_hovering_a_sequences_name_lights_all_of_its_blocks(make, qtbot):
    view = make(trace_of("paged:4", **UNEQUAL))
    name = view.places(1.0).tables.starts[1] + QPointF(-20, 6)
    qtbot.mouseMove(view, name.toPoint())
    assert set(view._lit()) == set(view.picture.map.tables[1])
    assert view.explained(name) == "Sequence 2: 8 tokens in 2 blocks, 0 slots still empty"
    qtbot.mouseMove(view, QPointF(720, 5).toPoint())
    assert view._lit() == {}


def test_many_blocks_lose_words_and_wires_but_keep_their_slots(make, look):
    view = make(trace_of("paged:1", batch=4, max_new_tokens=30))
    pool = view.places(1.0).pool
    assert pool.head == 0
    assert not view._all_wires()
    image, picture = painted(view), view.picture
    for row in range(4):
        color = color_at(image, slot_area(view, *picture.slot_of(3, row)).center())
        assert is_like(color, look.color("prefill"))


def test_a_pool_too_large_for_its_room_follows_what_is_written(make, qtbot):
    view = make(trace_of("paged:1", batch=16, max_new_tokens=30), height=92)
    pool = view.places(1.0).pool
    assert pool.most_scrolled
    assert view.picture.slot_of(view.picture.map.lengths[0] - 1)[0] in pool.in_sight
    view.store.seek(0)
    assert view.picture.slot_of(6)[0] in view.places(1.0).pool.in_sight
    assert has_color(painted(view), view.look.color("cursor"))


def test_it_asks_for_the_height_that_its_width_needs(make):
    view = make(trace_of("paged:4", batch=3))
    wide = view.sizeHint().height()
    view.resize(320, wide)
    assert view.sizeHint().height() > wide
    assert view.places(1.0).pool.area.width() < 300


def test_other_layouts_are_not_its_own(make):
    view = make(trace_of("concat"))
    assert view.picture is None
    assert view.explained(QPointF(50, 50)) == ""
    assert view.block_at(QPointF(50, 50)) is None
    assert not has_color(painted(view), view.look.color("decode"))
