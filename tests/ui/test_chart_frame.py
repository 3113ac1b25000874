from time import monotonic

from chart_stand import put_up, store_of
from hand_made import hand_made_trace

from kvviz.session.selection import Pointer
from kvviz.ui.changes import Change
from kvviz.ui.theme import ThemeChoice
from kvviz.ui.views.memory_chart import MemoryChart


def counted(chart):
    """Count how often the curves and the words of a chart are made."""
    calls = {"draw": 0, "say": 0}
    draw, say = chart.draw, chart.say

    def draw_counted(run):
        calls["draw"] += 1
        draw(run)

    def say_counted(run):
        calls["say"] += 1
        say(run)

    chart.draw, chart.say = draw_counted, say_counted
    return calls


def test_a_hidden_chart_reads_nothing_until_it_is_shown(qtbot, look):
    store = store_of(cursor=3)
    chart = put_up(qtbot, MemoryChart(store, look))
    calls = counted(chart)
    chart.hide()
    for cursor in range(4, 20):
        store.seek(cursor)
    assert calls == {"draw": 0, "say": 0}
    chart.show()
    assert calls["draw"] == 1
    assert chart._decode.x[-1] == store.rows


def test_a_picture_of_a_chart_never_shown_is_up_to_date(qtbot, look):
    store = store_of(cursor=3)
    chart = MemoryChart(store, look)
    qtbot.addWidget(chart)
    chart.resize(344, 212)
    store.seek(9)
    chart.grab()
    assert chart.chart._cursor.x == store.rows


def test_a_pointer_draws_no_curve_anew(qtbot, look):
    store = store_of()
    chart = put_up(qtbot, MemoryChart(store, look))
    calls = counted(chart)
    store.point(Pointer(row=8))
    assert calls["draw"] == 0
    assert chart.chart.pointer_ring is not None


def test_what_does_not_concern_it_is_ignored(qtbot, look):
    store = store_of()
    chart = put_up(qtbot, MemoryChart(store, look))
    calls = counted(chart)
    store.changed.emit(Change.SELECTION | Change.PICTURE | Change.STATUS | Change.NOTICE)
    assert calls == {"draw": 0, "say": 0}


def test_at_rest_words_follow_each_move_and_in_a_rush_they_wait(qtbot, look):
    store = store_of(cursor=0)
    chart = put_up(qtbot, MemoryChart(store, look))
    now = monotonic()
    chart._texts._clock = lambda: now  # however slow the machine, no time passes here
    calls = counted(chart)
    for cursor in range(1, 6):
        store.seek(cursor)
    assert calls == {"draw": 5, "say": 5}
    store.playback.pace = None
    store.playback.playing = True
    for _ in range(20):
        store.changed.emit(Change.STEPS | Change.CURSOR)
    assert calls == {"draw": 25, "say": 5}
    chart._texts._timer.timeout.emit()
    assert calls["say"] == 6


def test_a_growing_run_is_followed(qtbot, look):
    store = store_of(hand_made_trace(steps=4))
    chart = put_up(qtbot, MemoryChart(store, look))
    assert len(chart._decode.x) == 3
    store.grow(18)
    assert len(chart._decode.x) == 21
    assert chart.marks.decode.sum() == 21


def test_another_run_is_read_from_its_beginning(qtbot, look):
    store = store_of()
    chart = put_up(qtbot, MemoryChart(store, look))
    store.show_trace(hand_made_trace(prompt_tokens=9, new_tokens=3))
    assert chart._prefill.x.tolist() == [9]
    assert chart._decode.x.tolist() == [10, 11]


def test_theme_and_zoom_reach_words_and_size(qtbot, look):
    store = store_of()
    chart = put_up(qtbot, MemoryChart(store, look))
    assert look.theme.good in chart.words.text()
    look.choose(ThemeChoice.LIGHT)
    assert look.theme.good in chart.words.text()
    before = chart.sizeHint()
    look.set_zoom(2.0)
    assert chart.sizeHint() == before * 2


def test_the_longest_unit_that_fits_is_shown(qtbot, look):
    store = store_of()
    chart = put_up(qtbot, MemoryChart(store, look))
    chart.fit_unit(chart.used_figure, "12", "a unit far too long for any heading", "short", "")
    assert chart.used_figure.unit == "short"
    chart.fit_unit(chart.used_figure, "12", "KiB used", "")
    assert chart.used_figure.unit == "KiB used"
