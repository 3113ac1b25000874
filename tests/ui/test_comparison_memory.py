"""Comparison after comparison keeps no more than the list does."""

import gc
import weakref

from chart_stand import put_up
from comparison_stand import compare
from PySide6.QtCore import QCoreApplication, QEvent

from kvviz.session.runs import MOST_RUNS
from kvviz.sizing.layout_text import parse_layout
from kvviz.ui.centre import Centre
from kvviz.ui.comparison.charts import ComparisonCharts
from kvviz.ui.panels.compare_panel import ComparePanel

LAYOUTS = [parse_layout(text) for text in ("concat", "paged:4")]


def test_what_left_the_list_is_gone_from_memory(qtbot, store, worker, look):
    shown = put_up(qtbot, Centre(store, look), 760, 800)
    listed = put_up(qtbot, ComparePanel(store, look), 280, 300)
    charts = None
    traces = []
    for _ in range(MOST_RUNS + 2):
        runs = compare(store, worker, LAYOUTS)
        charts = charts or put_up(qtbot, ComparisonCharts(store, look), 372, 700)
        qtbot.waitUntil(lambda: store.frames.idle)
        traces.extend(weakref.ref(run.trace) for run in runs)
        del runs
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    kept = {id(run.trace) for run in store.runs.runs}
    alive = {id(trace()) for trace in traces if trace() is not None}
    assert alive == kept
    assert len(kept) == MOST_RUNS * len(LAYOUTS)
    assert len(listed.rows) == MOST_RUNS
    assert len(shown.comparison.view.runs) == len(LAYOUTS)
