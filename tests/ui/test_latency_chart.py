from dataclasses import replace

import pytest
from chart_stand import holds, put_up, store_of, with_latencies
from fake_store import FakeStore
from hand_made import hand_made_trace, no_cache
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QWidget

from kvviz.session.selection import Pointer
from kvviz.trace.latency import itl_ns, percentile, ttft_ns
from kvviz.ui.views.axis import short_ms
from kvviz.ui.views.latency_chart import LatencyChart

MS = 1_000_000


def steady(new_tokens=24, **latencies):
    """A trace whose decode steps all take 0.6 ms and whose prefill takes 3 ms."""
    trace = hand_made_trace(new_tokens=new_tokens)
    every = dict.fromkeys(range(1, len(trace)), 600000)
    return with_latencies(trace, {0: 3 * MS, **every, **latencies})


def chart_of(qtbot, look, store, **size):
    return put_up(qtbot, LatencyChart(store, look), **size)


def plain(chart):
    return chart.words.text().split(">", 1)[1].replace("</span>", "")


def test_prefill_is_a_bar_and_decode_are_dots(qtbot, look):
    store = store_of(steady(), 11)
    chart = chart_of(qtbot, look, store)
    (bar,) = chart.chart._bars
    assert (bar.x, bar.y, bar.tone, bar.cut) == (0, 3 * MS, "prefill", False)
    assert chart._decode.x.tolist() == list(range(1, 12))
    assert set(chart._decode.y) == {600_000}


def test_the_figures_are_those_of_the_steps_so_far(qtbot, look):
    trace = hand_made_trace()
    store = store_of(trace)
    chart = chart_of(qtbot, look, store)
    assert chart.ttft_figure.text == short_ms(ttft_ns(trace))
    assert chart.itl_figure.text == short_ms(percentile(itl_ns(trace), 50))
    assert chart._p50.y[0] == percentile(itl_ns(trace), 50)
    assert chart._p95.y[0] == percentile(itl_ns(trace), 95)
    assert "tokens/s" in plain(chart)
    store.seek(0)
    assert chart.itl_figure.text == "\N{EN DASH}"
    assert plain(chart) == "no decode step yet"
    store.seek(-1)
    assert chart.ttft_figure.text == "\N{EN DASH}"
    assert plain(chart) == "nothing is measured yet"


def test_a_batch_says_the_rate_of_all_its_sequences(qtbot, look):
    trace = steady()
    trace.config = replace(trace.config, batch=4)
    chart = chart_of(qtbot, look, store_of(trace, 11), width=420)
    assert f"{4 / 0.6e-3:,.0f} tokens/s in all" in plain(chart)


def test_axes_do_not_move_while_the_run_is_stepped_through(qtbot, look):
    store = store_of(cursor=23)
    chart = chart_of(qtbot, look, store)
    y = chart.chart.scale_of_plot.y
    for cursor in range(-1, 24):
        store.seek(cursor)
        assert chart.chart.scale_of_plot.y == y
        assert chart.chart.scale_of_plot.x.high == 23


def test_a_slow_prefill_is_cut_and_says_its_value(qtbot, look):
    store = store_of(with_latencies(steady(), {0: 380 * MS}))
    chart = chart_of(qtbot, look, store)
    (bar,) = chart.chart._bars
    assert bar.cut
    assert chart.chart.scale_of_plot.y.high == 3 * MS
    assert "380 ms" in chart.chart.labels()
    assert chart.ttft_figure.text == "380"


def test_a_cut_is_decided_once_and_only_undone_by_growth(qtbot, look):
    trace = with_latencies(steady(), {0: 380 * MS, 7: 90 * MS, 8: 80 * MS})
    full = list(trace.steps)
    tops = []
    for known in range(6, len(full) + 1):
        store = store_of(with_latencies(hand_made_trace(steps=known), {}))
        for index in range(known):
            with_latencies(store.trace, {index: full[index].latency_ns})
        chart = chart_of(qtbot, look, store)
        tops.append(chart.chart.scale_of_plot.y.high)
    assert set(tops) == {3 * MS}


def test_strays_are_marked_at_the_edge_and_the_slowest_named(qtbot, look):
    store = store_of(with_latencies(steady(), {4: 12 * MS, 9: 20 * MS}))
    chart = chart_of(qtbot, look, store)
    assert chart._beyond.x.tolist() == [4, 9]
    assert set(chart._beyond.y) == {chart.chart.scale_of_plot.y.high}
    assert 4 not in chart._decode.x
    assert "up to 20.0 ms" in chart.chart.labels()


def test_a_run_that_gets_slower_is_held(qtbot, look):
    slower = {index: 600_000 + index * 400_000 for index in range(1, 100)}
    store = store_of(with_latencies(hand_made_trace(new_tokens=100), slower))
    chart = chart_of(qtbot, look, store)
    assert chart._beyond.x.tolist() == []
    assert chart.chart.scale_of_plot.y.high == 50 * MS


def test_levels_that_are_one_line_to_the_eye_are_named_together(qtbot, look):
    chart = chart_of(qtbot, look, store_of(steady()))
    assert "p50, p95" in chart.chart.labels()
    slow = dict.fromkeys((3, 6, 9), 1800000)
    chart = chart_of(qtbot, look, store_of(with_latencies(steady(), slow)))
    assert {"p50", "p95"} <= set(chart.chart.labels())


def test_the_reference_is_a_named_ghost(qtbot, look):
    store = store_of(steady())
    chart = chart_of(qtbot, look, store)
    ghost = hand_made_trace(layout=no_cache(), new_tokens=40)
    store.add_reference(with_latencies(ghost, dict.fromkeys(range(1, 40), 3 * MS)))
    assert "no cache (pinned)" in chart.chart.labels()
    assert chart._ghost.x.tolist() == list(range(1, 24))
    assert chart.chart.scale_of_plot.y.high == 4 * MS
    store.set_reference(None)
    assert len(chart._ghost.x) == 0


def test_numbers_below_name_the_ends_and_the_cursor(qtbot, look):
    store = store_of(cursor=11)
    chart = chart_of(qtbot, look, store)
    assert [text for text, _ in chart.chart.numbers()[3:]] == ["prefill", "decode 11", "23"]
    store.seek(23)
    assert [text for text, _ in chart.chart.numbers()[3:]] == ["prefill", "decode 23"]
    store.seek(0)
    assert [text for text, _ in chart.chart.numbers()[3:]] == ["prefill", "23"]


def test_prefill_in_chunks_is_not_counted_as_decode(qtbot, look):
    store = store_of(hand_made_trace(chunk=1), 10)
    chart = chart_of(qtbot, look, store)
    assert [text for text, _ in chart.chart.numbers()[3:]] == ["prefill", "decode 5", "23"]
    store.seek(28)
    assert [text for text, _ in chart.chart.numbers()[3:]] == ["prefill", "decode 23"]
    store.seek(3)
    assert [text for text, _ in chart.chart.numbers()[3:]] == ["prefill", "23"]


@pytest.mark.parametrize("zoom", [1.0, 2.0])
@pytest.mark.parametrize("prefill", [3, 38, 12_345])
def test_nothing_is_clipped_in_heading_or_plot(qtbot, dressed, zoom, prefill):
    dressed.set_zoom(zoom)
    store = store_of(with_latencies(steady(), {0: prefill * MS}))
    store.add_reference(hand_made_trace(layout=no_cache()))
    chart = chart_of(qtbot, dressed, store, width=round(344 * zoom), height=round(212 * zoom))
    assert chart.header.minimumSizeHint().width() <= chart.width()
    assert chart.words.sizeHint().width() <= chart.width()
    for box in chart.chart.labels().values():
        assert holds(QRectF(chart.chart.rect()), box)


def test_ttft_gives_up_its_unit_first_and_gets_it_back_last(qtbot, dressed):
    store = store_of(with_latencies(steady(), {0: 17 * MS}))
    column = put_up(qtbot, QWidget())  # what is no window can be of any width
    chart = LatencyChart(store, dressed)
    chart.setParent(column)
    chart.show()
    given_up = set()
    for width in (*range(344, 200, -2), *range(200, 344, 2)):
        chart.resize(width, 212)
        chart.say(store.shown)
        units = chart.ttft_figure.unit, chart.itl_figure.unit
        assert units in (("ms", "ms"), ("", "ms"), ("", ""))
        if "ms" in units:
            assert chart.header.minimumSizeHint().width() <= width
        given_up.add(units)
    assert len(given_up) == 3


def test_hover_click_and_ring(qtbot, look):
    store = store_of(steady(), 11)
    chart = chart_of(qtbot, look, store)
    chart.chart.hovered.emit(4.3)
    assert store.pointer == Pointer(row=9)
    ring = chart.chart.pointer_ring
    assert (ring.x, ring.y) == (4, 600_000)
    assert plain(chart) == "step 4 · decode · 1 token fed · 0.600 ms · measured"
    chart.chart.hovered.emit(0.2)
    assert plain(chart) == "step 0 · prefill · 6 tokens fed · 3.00 ms · measured"
    chart.chart.clicked.emit(99.0)
    assert store.cursor == 23


def test_without_a_run_nothing_is_claimed(qtbot, look):
    chart = chart_of(qtbot, look, FakeStore())
    assert chart.ttft_figure.text == "\N{EN DASH}"
    assert plain(chart) == ""
    assert chart.chart.labels() == {}
