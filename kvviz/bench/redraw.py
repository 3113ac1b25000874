"""How long one redraw of the grid, or of the slowest chart, takes while a long run grows.

python -m kvviz.bench.redraw grid
"""

import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np
from PySide6.QtWidgets import QWidget

from kvviz.bench.measure import Measure, hand_in
from kvviz.bench.stage import ended, show_warm, stage, wait_until
from kvviz.bench.written import written_trace
from kvviz.sizing.shape import ModelShape
from kvviz.ui.changes import Change
from kvviz.ui.store import Store
from kvviz.ui.views.view import View
from kvviz.ui.window import MainWindow

GRID_ROWS = 4096
CHART_STEPS = 10_000
FRAMES = 200
A_STEP = Change.STEPS | Change.CURSOR | Change.PICTURE


def grid_p95(window: MainWindow) -> float:
    """Return ms that a decode row takes from its shades to the screen, in a full grid."""
    store, grid = window.store, window.playground.centre.grid
    store.adopt(written_trace(GRID_ROWS, ModelShape(1, 2, 2, 16)))
    wait_until(store, lambda: ended(store) and store.pictures.complete)

    def take_row() -> None:
        picture, row = store.pictures.grid, store.rows - 1
        assert picture is not None
        picture.put_rows(row, picture.levels[0][row : row + 1, : row + 1].copy())

    return float(np.percentile(redraws(store, grid, grid, take_row), 95))


def slowest_chart_p50(window: MainWindow) -> float:
    """Return ms that a step more takes in a chart of that many."""
    store = window.store
    store.adopt(written_trace(CHART_STEPS, ModelShape(1, 1, 1, 8)))
    store.pictures.clear()
    wait_until(store, lambda: ended(store))
    column = window.playground.charts
    charts = (column.memory, column.latency, column.work)
    return max(float(np.median(redraws(store, chart, chart.chart, nothing))) for chart in charts)


def redraws(store: Store, view: View, painted: QWidget, prepare: Callable[[], None]) -> list[float]:
    """Return how many ms reading one step more and painting it took, for the last FRAMES steps."""
    assert store.trace is not None
    assert view.isVisible()
    last, times = len(store.trace) - 1, []
    for cursor in range(last - FRAMES, last + 1):
        store.seek(cursor)
        store.playback.playing = True  # as a run at full speed: words follow five times a second
        view.window().repaint()  # so that nothing else is left to be painted
        begin = perf_counter()
        prepare()
        view.read(A_STEP)
        painted.repaint()
        times.append((perf_counter() - begin) * 1000)
    return times


def nothing() -> None:
    """Prepare a chart: it reads the trace as it is."""


if __name__ == "__main__":
    figures = {"grid": grid_p95, "chart": slowest_chart_p50}
    with stage() as window:
        show_warm(window)
        hand_in({sys.argv[1]: Measure(figures[sys.argv[1]](window))})
