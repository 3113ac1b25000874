from dataclasses import replace

import pytest
from chart_stand import arrays_like, holds, put_up, store_of
from fake_store import FakeStore
from hand_made import concat, hand_made_trace, no_cache
from PySide6.QtCore import QRectF

from kvviz.session.selection import Pointer
from kvviz.sizing.layout import CacheBytes, CacheLayout, LayoutKind
from kvviz.trace.step import Phase
from kvviz.ui.views.memory_chart import MemoryChart


def chart_of(qtbot, look, store, **size):
    return put_up(qtbot, MemoryChart(store, look), **size)


def plain(chart):
    return chart.words.text().split(">", 1)[1].replace("</span>", "")


def test_dots_are_the_bytes_of_the_tensors_by_phase(qtbot, look):
    store = store_of(cursor=11)
    chart = chart_of(qtbot, look, store)
    steps = store.trace.steps[:12]
    assert chart._prefill.x.tolist() == [6]
    assert chart._decode.x.tolist() == [step.seq_len for step in steps[1:]]
    assert chart._decode.y.tolist() == [step.measured.used for step in steps[1:]]
    assert chart._formula.x[-1] == store.planned_rows == 29
    assert chart._formula.y[-1] == store.trace.steps[-1].measured.used


def test_the_figure_is_that_of_the_cursor(qtbot, look):
    store = store_of(cursor=11)
    chart = chart_of(qtbot, look, store)
    assert (chart.used_figure.text, chart.used_figure.unit) == ("34.0", "KiB used")
    store.seek(0)
    assert chart.used_figure.text == "12.0"
    assert len(chart._decode.x) == 0
    store.seek(-1)
    assert chart.used_figure.text == "\N{EN DASH}"
    assert chart.words.text() == "nothing is measured yet"


def test_equal_bytes_are_said_and_so_is_a_difference(qtbot, look):
    store = store_of()
    chart = chart_of(qtbot, look, store)
    assert plain(chart) == "✓ formula = tensors"
    trace, last = store.trace, store.trace.steps[-1]
    trace.append(
        replace(
            last,
            index=len(trace),
            phase=Phase.DECODE,
            seq_len=last.seq_len + 1,
            measured=CacheBytes(last.predicted.used + 1024, *[last.predicted.reserved] * 2),
        ),
        arrays_like(trace),
    )
    store.seek(len(trace) - 1)
    assert "differ by 1,024 bytes" in plain(chart)


def test_axes_hold_the_plan_and_stay_while_the_run_plays(qtbot, look):
    store = store_of(cursor=-1)
    chart = chart_of(qtbot, look, store)
    scale = chart.chart.scale_of_plot
    assert scale.x.high == 64
    assert scale.y.high == 160 * 1024
    for cursor in range(24):
        store.seek(cursor)
        assert (chart.chart.scale_of_plot.x, chart.chart.scale_of_plot.y) == (scale.x, scale.y)


def test_a_far_limit_does_not_squeeze_the_plan(qtbot, look):
    store = store_of(hand_made_trace(max_seq_len=4096))
    chart = chart_of(qtbot, look, store)
    assert chart.chart.scale_of_plot.x.high == 29
    assert chart.chart.scale_of_plot.y.high < 100 * 1024
    assert "↑ 8.00 MiB reserved" in chart.chart.labels()


@pytest.mark.parametrize(
    ("width", "height", "zoom"), [(344, 212, 1.0), (300, 160, 1.0), (688, 424, 2.0)]
)
@pytest.mark.parametrize("layout", [None, concat(), no_cache()])
@pytest.mark.parametrize("cursor", [-1, 0, 11, 23])
def test_names_are_clear_of_one_another_and_of_the_edges(
    qtbot, look, layout, cursor, width, height, zoom
):
    look.set_zoom(zoom)
    store = store_of(hand_made_trace(layout=layout), cursor)
    store.add_reference(hand_made_trace(layout=no_cache()))
    chart = chart_of(qtbot, look, store, width=width, height=height)
    boxes = list(chart.chart.labels().values())
    assert boxes
    for number, box in enumerate(boxes):
        assert holds(QRectF(chart.chart.rect()), box)
        assert not any(box.intersects(other) for other in boxes[number + 1 :])


def test_the_layouts_are_told_apart(qtbot, look):
    labels = {
        kind: set(
            chart_of(qtbot, look, store_of(hand_made_trace(layout=layout), 11)).chart.labels()
        )
        for kind, layout in (("kept", None), ("concat", concat()), ("none", no_cache()))
    }
    assert labels["kept"] == {"reserved", "formula: 2.00 KiB per token", "measured"}
    assert labels["concat"] == {
        "peak: old and new at once",
        "formula: 2.00 KiB per token",
        "measured",
    }
    assert labels["none"] == {"no cache is kept"}


def test_peaks_are_ticks_above_the_dots_of_concat(qtbot, look):
    store = store_of(hand_made_trace(layout=concat()), 11)
    chart = chart_of(qtbot, look, store)
    assert chart._peak.x.tolist() == [step.seq_len for step in store.trace.steps[1:12]]
    assert chart._peak.y.tolist() == [step.measured.peak for step in store.trace.steps[1:12]]
    assert (chart._peak.y > chart._decode.y).all()
    assert len(chart._reserved.x) == 0


def run_of(layout, cursor=23):
    return store_of(hand_made_trace(layout=layout), cursor)


def test_concat_has_a_tooth_for_each_step(qtbot, look):
    store = run_of(concat(), 11)
    chart = chart_of(qtbot, look, store)
    steps = [step.measured for step in store.trace.steps[:12]]
    assert chart._teeth.y.tolist() == [n for step in steps for n in (step.peak, step.used)]
    store.seek(3)
    assert len(chart._teeth.y) == 8


def test_paged_takes_stairs_and_the_formula_the_same_ones(qtbot, look):
    store = run_of(CacheLayout(LayoutKind.PAGED, block_size=4))
    chart = chart_of(qtbot, look, store)
    reserved = [step.measured.reserved for step in store.trace.steps]
    assert chart._reserved.y[1::2].tolist() == reserved
    assert chart._reserved.x[1::2].tolist() == [step.seq_len for step in store.trace.steps]
    stairs = chart._formula_reserved
    formula = dict(zip(stairs.x[1::2], stairs.y[1::2], strict=True))
    assert [formula[step.seq_len] for step in store.trace.steps] == reserved
    assert "reserved: whole blocks" in chart.chart.labels()
    store.seek(11)
    assert "peak: blocks + room to gather into" in chart.chart.labels()


def test_sliding_comes_to_its_plateau_and_so_does_the_formula(qtbot, look):
    store = run_of(CacheLayout(LayoutKind.SLIDING, window=8, sinks=2))
    chart = chart_of(qtbot, look, store)
    full = store.trace.steps[-1].measured.used
    assert chart._decode.y[-5:].tolist() == chart._formula.y[-5:].tolist() == [full] * 5
    assert chart._reserved.x.tolist() == []


def test_codes_have_their_conversion_apart(qtbot, look):
    store = run_of(CacheLayout(LayoutKind.QUANTIZED))
    chart = chart_of(qtbot, look, store)
    steps = [step.measured for step in store.trace.steps]
    assert chart._peak.y.tolist() == [step.peak for step in steps]
    assert (chart._peak.y > chart._reserved.y[0]).all()
    assert {"peak: codes + a layer as floats", "reserved"} <= set(chart.chart.labels())


@pytest.mark.parametrize("kind", list(LayoutKind))
def test_the_formula_is_on_every_dot(qtbot, look, kind):
    store = run_of(CacheLayout(kind, block_size=4, window=8))
    chart = chart_of(qtbot, look, store)
    line = dict(zip(chart._formula.x, chart._formula.y, strict=True))
    dots = [
        *zip(chart._prefill.x, chart._prefill.y, strict=True),
        *zip(chart._decode.x, chart._decode.y, strict=True),
    ]
    assert [line[x] for x, _ in dots] == [y for _, y in dots]


def test_the_controls_line_is_there_while_they_ask_for_something_else(qtbot, look):
    store = store_of(cursor=11)
    chart = chart_of(qtbot, look, store)
    assert len(chart._planned.x) == 0
    store.controls.planned = replace(store.trace.config, batch=4)
    store.changed.emit(chart.concerns)
    assert chart._planned.y[-1] == 4 * chart._formula.y[-1]
    assert "what the controls ask for" in chart.chart.labels()
    assert chart.chart.scale_of_plot.y.high >= chart._planned.y[-1]
    store.controls.planned = replace(store.trace.config, end_token_ids=(3,))
    store.changed.emit(chart.concerns)
    assert len(chart._planned.x) == 0


def test_the_reference_is_a_named_ghost(qtbot, look):
    store = store_of()
    chart = chart_of(qtbot, look, store)
    assert len(chart._ghost.x) == 0
    ghost = store.add_reference(hand_made_trace(layout=concat(), batch=2))
    assert chart._ghost.y.max() == ghost.trace.steps[-1].measured.used
    assert "concat · batch 2 (pinned)" in chart.chart.labels()


def test_a_pointed_row_is_ringed_and_read_out(qtbot, look):
    store = store_of(cursor=11)
    chart = chart_of(qtbot, look, store)
    store.point(Pointer(row=9))
    ring = chart.chart.pointer_ring
    assert (ring.x, ring.y, ring.tone) == (10, store.trace.steps[4].measured.used, "decode")
    assert plain(chart) == "step 4 · decode · 10 tokens · 20.0 KiB · measured"
    store.point(Pointer())
    assert chart.chart.pointer_ring is None
    assert "formula = tensors" in plain(chart)


def test_rows_not_there_yet_are_not_pointed_at(qtbot, look):
    store = store_of(cursor=11)
    chart = chart_of(qtbot, look, store)
    store.point(Pointer(row=25))
    assert chart.chart.pointer_ring is None


def test_hovering_points_and_clicking_seeks(qtbot, look):
    store = store_of(cursor=11)
    chart = chart_of(qtbot, look, store)
    chart.chart.hovered.emit(9.8)
    assert store.pointer == Pointer(row=9)
    chart.chart.hovered.emit(60.0)
    assert store.pointer == Pointer(row=16)
    chart.chart.hovered.emit(None)
    assert store.pointer == Pointer()
    chart.chart.clicked.emit(20.2)
    assert store.cursor == 14


def test_without_a_run_nothing_is_claimed(qtbot, look):
    store = FakeStore()
    chart = chart_of(qtbot, look, store)
    assert chart.used_figure.text == "\N{EN DASH}"
    assert chart.chart.labels() == {}
    chart.chart.hovered.emit(3.0)
    chart.chart.clicked.emit(3.0)
    assert store.asked == []


def test_a_ghost_that_is_the_same_line_keeps_its_name(qtbot, qapp, look):
    store = store_of()
    store.add_reference(hand_made_trace())
    chart = put_up(qtbot, MemoryChart(store, look))
    names = chart.chart.labels()
    assert {"same settings (pinned)", "measured", "formula: 2.00 KiB per token"} <= set(names)
    boxes = list(names.values())
    assert not any(a.intersects(b) for i, a in enumerate(boxes) for b in boxes[:i])
