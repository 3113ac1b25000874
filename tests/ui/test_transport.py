import pytest
from chart_stand import TINY, put_up, store_of
from fake_store import FakeStore
from hand_made import hand_made_trace
from PySide6.QtCore import Qt

from kvviz.session.runs import RunState
from kvviz.trace.latency import tokens_per_second
from kvviz.ui.changes import Change
from kvviz.ui.pace import UNLIMITED
from kvviz.ui.transport import AT_END, AT_NEWEST, AT_START, NO_RUN, Transport


def transport_of(qtbot, look, store, width=1280):
    return put_up(qtbot, Transport(store, look), width, look.px(56))


def words(label):
    text = label.text()
    while "<" in text:
        text = text[: text.index("<")] + text[text.index(">") + 1 :]
    return text


def test_buttons_move_the_cursor(qtbot, look):
    store = store_of(cursor=11)
    transport = transport_of(qtbot, look, store)
    for button, cursor in (
        (transport.back, 10),
        (transport.forward, 11),
        (transport.to_end, 23),
        (transport.to_start, -1),
    ):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert store.cursor == cursor


def test_play_turns_into_pause(qtbot, look):
    store = store_of(cursor=3)
    transport = transport_of(qtbot, look, store)
    assert transport.play._icon_name == "play"
    qtbot.mouseClick(transport.play, Qt.MouseButton.LeftButton)
    assert store.playback.playing
    assert transport.play._icon_name == "pause"
    qtbot.mouseClick(transport.play, Qt.MouseButton.LeftButton)
    assert not store.playback.playing


def test_what_cannot_be_done_says_why(qtbot, look):
    store = store_of(cursor=-1)
    transport = transport_of(qtbot, look, store)
    assert [button.reason for button in transport.buttons] == [AT_START, AT_START, None, None, None]
    store.seek(23)
    assert [button.reason for button in transport.buttons] == [None, None, None, AT_END, AT_NEWEST]
    assert AT_END in transport.forward.toolTip()
    assert not transport.forward.isEnabled()
    store.seek(5)
    assert {button.reason for button in transport.buttons} == {None}


def test_a_live_run_can_be_asked_for_one_more_step(qtbot, look):
    store = store_of(hand_made_trace(steps=12))
    store.shown.state = RunState.RUNNING
    transport = transport_of(qtbot, look, store)
    assert transport.forward.reason is None
    assert transport.to_end.reason == AT_NEWEST


def test_without_a_run_all_is_off_and_says_so(qtbot, look):
    transport = transport_of(qtbot, look, FakeStore())
    assert {button.reason for button in transport.buttons} == {NO_RUN}
    assert words(transport.place) == "no run yet"


def test_tooltips_tell_the_keys(qtbot, look):
    transport = transport_of(qtbot, look, store_of())
    keys = [button.toolTip().split("Key: ")[1].split("<")[0] for button in transport.buttons]
    assert keys == ["Home", "Left", "Space", "Right", "End"]


def test_the_slider_sets_the_pace_and_shows_it(qtbot, look):
    store = store_of()
    transport = transport_of(qtbot, look, store)
    assert transport.pace_words.text() == "4 steps/s"
    transport.pace_slider.moved.emit(UNLIMITED)
    assert store.playback.pace is None
    assert transport.pace_words.text() == "as fast as it goes"
    store.set_pace(20)
    assert transport.pace_words.text() == "20 steps/s"
    assert transport.pace_slider.value() == 11


def test_the_pace_of_a_slider_in_hand_is_not_pulled_back(qtbot, look):
    store = store_of()
    transport = transport_of(qtbot, look, store)
    transport.pace_slider.setSliderDown(True)
    before = transport.pace_slider.value()
    store.set_pace(100)
    assert transport.pace_slider.value() == before


def test_the_place_is_said_in_the_words_of_the_run(qtbot, look):
    store = store_of(hand_made_trace(chunk=4))
    transport = transport_of(qtbot, look, store)
    for cursor, said in (
        (-1, "before the first step"),
        (0, "prefill 1 of 2"),
        (2, "decode 1 of 23"),
        (24, "decode 23 of 23"),
    ):
        store.seek(cursor)
        assert words(transport.place) == said
    store.show_trace(hand_made_trace(), cursor=0)
    assert words(transport.place) == "prefill"


def test_the_rate_is_that_of_the_decode_steps_so_far(qtbot, look):
    trace = hand_made_trace()
    store = store_of(trace)
    transport = transport_of(qtbot, look, store)
    assert transport.rate.text() == f"{tokens_per_second(trace):,.0f} tokens/s"
    store.seek(0)
    assert transport.rate.text() == "\N{EN DASH} tokens/s"


def test_words_wait_while_it_runs_fast_and_buttons_do_not(qtbot, look):
    store = store_of(cursor=5)
    transport = transport_of(qtbot, look, store)
    store.playback.pace, store.playback.playing = None, True
    store.playback.cursor = 9
    store.changed.emit(Change.CURSOR)
    assert words(transport.place) == "decode 5 of 23"
    assert transport.play._icon_name == "pause"
    store.playback.playing = False
    store.changed.emit(Change.CURSOR)
    assert words(transport.place) == "decode 9 of 23"


def test_the_timeline_keeps_its_width_while_the_words_change(qtbot, look):
    store = store_of(hand_made_trace(new_tokens=300, shape=TINY))
    transport = transport_of(qtbot, look, store)
    widths = set()
    for cursor in (0, 3, 99, 299):
        store.seek(cursor)
        store.set_pace(None if cursor else 1)
        transport.layout().activate()
        widths.add(transport.timeline.width())
    assert len(widths) == 1


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("width", [1280, 1440, 1920])
def test_nothing_is_clipped(qtbot, look, width, zoom):
    look.set_zoom(zoom)
    store = store_of(hand_made_trace(new_tokens=3000, shape=TINY))
    transport = transport_of(qtbot, look, store, width)
    transport.layout().activate()
    shown = [child for child in transport.children() if child.isWidgetType() and child.isVisible()]
    assert set(transport.buttons) <= set(shown)
    assert transport.timeline.width() >= transport.timeline.minimumSizeHint().width()
    for child in shown:
        assert transport.rect().contains(child.geometry())
        if child not in (transport.timeline, *transport.buttons):
            assert child.width() >= child.minimumSizeHint().width()
    if width == 1280 and zoom == 1.0:
        assert transport.tag.isVisible()
        assert transport.pace_words.isVisible()


def test_words_come_back_with_the_room(qtbot, look):
    transport = transport_of(qtbot, look, store_of(), 560)
    assert not transport.rate.isVisible()
    transport.resize(1280, 56)
    assert transport.rate.isVisible()
