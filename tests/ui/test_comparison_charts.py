"""The charts beside a comparison's table: a named line for each run."""

from chart_stand import put_up
from comparison_stand import compare

from kvviz.session.layout_choice import PRESETS
from kvviz.sizing.layout_text import layout_text
from kvviz.ui.comparison.charts import ComparisonCharts
from kvviz.ui.comparison.drawings import Kept, running_median
from kvviz.ui.comparison.lines import named, spread


def test_every_run_has_a_named_line_in_both_charts(qtbot, store, worker, look):
    compare(store, worker)
    charts = put_up(qtbot, ComparisonCharts(store, look), 372, 760)
    names = set(PRESETS[0].texts)
    assert set(charts.memory.chart.labels()) == names
    assert set(charts.latency.chart.labels()) == names
    for chart in (charts.memory.chart, charts.latency.chart):
        boxes = list(chart.labels().values())
        assert not any(a.intersects(b) for n, a in enumerate(boxes) for b in boxes[:n])


def test_dots_are_the_tensors_and_dashes_the_formula(qtbot, store, worker, look):
    runs = compare(store, worker)
    charts = put_up(qtbot, ComparisonCharts(store, look), 372, 760)
    memory = charts.memory
    curves = {layout_text(c.run.config.layout): c for c in memory.bytes.curves(runs)}
    assert curves["preallocated"].y.tolist() == runs[2].trace.column("bytes_reserved").tolist()
    assert set(curves["preallocated"].formula[1]) == {curves["preallocated"].y[0]}
    memory.toggle.button(Kept.PEAK).click()
    curves = {layout_text(c.run.config.layout): c for c in memory.bytes.curves(runs)}
    assert curves["concat"].y.tolist() == runs[1].trace.column("bytes_peak").tolist()


def test_where_lines_are_many_and_room_is_little_some_are_named(qtbot, store, worker, look):
    runs = compare(store, worker)
    charts = put_up(qtbot, ComparisonCharts(store, look), 372, 300)
    store.show_run(runs[3].run_id)
    qtbot.waitUntil(lambda: store.frames.idle)
    for lines in charts.views:
        labels = lines.chart.labels()
        assert 0 < len(labels) < len(runs)
        assert "paged:16" in labels  # the one on screen
        assert all(box.top() >= 0 for box in labels.values())


def test_those_named_are_spread_over_all():
    assert named([False] * 4, 9) == [0, 1, 2, 3]
    assert named([False] * 8, 3) == [0, 4, 7]
    assert named([False, True, *[False] * 6], 3) == [1, 4, 7]
    assert named([False, False, True], 1) == [2]
    assert named([], 1) == []


def test_names_keep_the_order_of_their_lines_and_their_distance():
    assert spread([90, 50, 10], 10, 0, 100) == [90, 50, 10]
    assert spread([52, 50, 49], 10, 0, 100) == [52, 42, 32]
    assert spread([3, 2, 0], 10, 0, 100) == [20, 10, 0]
    assert spread([], 10, 0, 100) == []


def test_a_median_takes_its_neighbours():
    assert running_median([5, 1, 9, 1, 1], 3).tolist() == [3, 5, 1, 1, 1]
