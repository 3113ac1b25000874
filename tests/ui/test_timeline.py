from types import SimpleNamespace

import pytest
from chart_stand import TINY, move_mouse, pixels, put_up, store_of
from fake_store import FakeStore
from hand_made import extend, hand_made_trace
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication

from kvviz.session.runs import RunState
from kvviz.session.selection import Pointer
from kvviz.trace.step import Phase
from kvviz.ui.theme import ThemeChoice
from kvviz.ui.timeline import Timeline


def timeline_of(qtbot, look, store, width=480):
    return put_up(qtbot, Timeline(store, look), width, look.px(24))


def color_at(timeline, index, place=0.5):
    box = timeline.segment(index)
    x = box.left() + place * box.width()
    return timeline.grab().toImage().pixelColor(round(x), round(box.center().y()))


@pytest.mark.parametrize("choice", [ThemeChoice.DARK, ThemeChoice.LIGHT])
def test_steps_have_their_phase_and_planned_ones_are_grey(qtbot, look, choice):
    look.choose(choice)
    store = store_of(hand_made_trace(steps=12))
    store.shown.state = RunState.RUNNING
    timeline = timeline_of(qtbot, look, store)
    assert timeline.segmented
    assert timeline.total == 24
    assert color_at(timeline, 0) == look.color("prefill")
    assert color_at(timeline, 5) == look.color("decode")
    assert color_at(timeline, 18) == look.color("bg3")


def test_what_is_recorded_beyond_the_cursor_is_fainter(qtbot, look):
    store = store_of(cursor=5)
    timeline = timeline_of(qtbot, look, store)
    ahead, done = color_at(timeline, 12), color_at(timeline, 4)
    assert done == look.color("decode")
    assert ahead.red() < done.red()
    assert ahead != look.color("bg3")


def test_the_cursors_step_carries_the_outline(qtbot, look):
    store = store_of(cursor=5)
    timeline = timeline_of(qtbot, look, store)
    image = timeline.grab().toImage()
    box = timeline.segment(5)
    column = image.copy(round(box.left()), 0, round(box.width()), image.height())
    assert pixels(column, look.color("cursor")) > 4
    assert pixels(image, look.color("cursor")) == pixels(
        image.copy(round(box.left()) - 5, 0, round(box.width()) + 10, image.height()),
        look.color("cursor"),
    )


@pytest.mark.parametrize("cursor", [0, 23])
def test_the_outline_is_whole_at_both_ends(qtbot, look, cursor):
    store = store_of(cursor=cursor)
    image = timeline_of(qtbot, look, store).grab().toImage()
    edge = 0 if cursor == 0 else image.width() - 1
    assert pixels(image.copy(edge, 0, 1, image.height()), look.color("cursor")) == 0
    assert pixels(image, look.color("cursor")) > 20


def test_many_steps_are_one_bar_in_the_same_colours(qtbot, look):
    store = store_of(hand_made_trace(new_tokens=500, shape=TINY), 250)
    timeline = timeline_of(qtbot, look, store)
    assert not timeline.segmented
    image = timeline.grab().toImage()
    middle = image.height() // 2
    assert image.pixelColor(7, middle) == look.color("prefill")
    assert image.pixelColor(100, middle) == look.color("decode")
    assert 0 < image.pixelColor(400, middle).red() < look.color("decode").red()
    assert pixels(image, look.color("cursor")) > 10


def test_a_second_prefill_is_seen_among_many_steps(qtbot, look):
    trace = hand_made_trace(new_tokens=400, max_seq_len=500, shape=TINY)
    extend(trace, [(Phase.PREFILL, 8, True)], seed=3)
    store = store_of(trace)
    timeline = timeline_of(qtbot, look, store)
    store.seek(50)
    x = round(timeline.segment(400).left())
    image = timeline.grab().toImage()
    tones = [image.pixelColor(x + d, image.height() // 2) for d in range(4)]
    assert any(tone.blue() > tone.red() for tone in tones)


def test_a_drag_scrubs_and_stays_within_what_is_recorded(qtbot, look):
    store = store_of(hand_made_trace(steps=12))
    store.shown.state = RunState.RUNNING
    timeline = timeline_of(qtbot, look, store)
    place = timeline.segment(3).center()
    qtbot.mousePress(timeline, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert store.cursor == 3
    move_mouse(timeline, timeline.segment(7).center().x(), 10, Qt.MouseButton.LeftButton)
    assert store.cursor == 7
    move_mouse(timeline, timeline.width() + 50, 10, Qt.MouseButton.LeftButton)
    assert store.cursor == 11
    move_mouse(timeline, -50, 10, Qt.MouseButton.LeftButton)
    assert store.cursor == 0
    asked = len(store.asked)
    move_mouse(timeline, -60, 10, Qt.MouseButton.LeftButton)
    assert len(store.asked) == asked


def test_hovering_points_at_the_row_a_step_added(qtbot, look):
    store = store_of(cursor=11)
    timeline = timeline_of(qtbot, look, store)
    move_mouse(timeline, timeline.segment(4).center().x(), 10)
    assert store.pointer == Pointer(row=9)
    assert store.cursor == 11
    QApplication.sendEvent(timeline, QEvent(QEvent.Type.Leave))
    assert store.pointer == Pointer()


def test_a_row_pointed_at_elsewhere_is_outlined(qtbot, look):
    store = store_of(cursor=11)
    timeline = timeline_of(qtbot, look, store)
    before = pixels(timeline.grab().toImage(), look.color("text"))
    store.point(Pointer(row=9))
    assert before == 0
    assert pixels(timeline.grab().toImage(), look.color("text")) > 4


def test_a_step_says_what_it_was(qtbot, look, monkeypatch):
    store = store_of(hand_made_trace(steps=12))
    store.shown.state = RunState.RUNNING
    timeline = timeline_of(qtbot, look, store)
    assert timeline.describe(0).startswith("step 0 · prefill · 6 tokens · 3.")
    assert timeline.describe(4).startswith("step 4 · decode · “,” · 0.6")
    assert timeline.describe(4).endswith("ms measured")
    assert timeline.describe(20) == "step 20 · planned"
    assert timeline.accessibleDescription() == timeline.describe(11)
    said = []
    tip = SimpleNamespace(showText=lambda _at, text, _view, box: said.append((text, box)))
    monkeypatch.setattr("kvviz.ui.views.explained_view.QToolTip", tip)
    at = timeline.segment(4).center().toPoint()
    QApplication.sendEvent(timeline, QHelpEvent(QEvent.Type.ToolTip, at, QPoint(0, 0)))
    assert said == [(timeline.describe(4), timeline.segment(4).toAlignedRect())]


def test_without_a_run_it_is_an_empty_strip(qtbot, look):
    store = FakeStore()
    timeline = timeline_of(qtbot, look, store)
    assert timeline.describe(0) == ""
    image = timeline.grab().toImage()
    assert image.pixelColor(240, image.height() // 2) == look.color("bg3")
    qtbot.mouseClick(timeline, Qt.MouseButton.LeftButton)
    assert store.asked == []


def test_it_follows_another_run(qtbot, look):
    store = store_of()
    timeline = timeline_of(qtbot, look, store)
    store.show_trace(hand_made_trace(new_tokens=3))
    assert timeline.total == 3
