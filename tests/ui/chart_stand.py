"""Charts and bars set up for a test: shown, of a known size, over a run made by hand."""

from dataclasses import replace

import numpy as np
from fake_store import FakeStore
from hand_made import hand_made_trace
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from kvviz.sizing.shape import ModelShape
from kvviz.trace.step import StepArrays
from kvviz.trace.trace import COLUMNS

TINY = ModelShape(num_layers=1, num_heads=1, num_kv_heads=1, head_dim=8)


def store_of(trace=None, cursor=None):
    """A fake store over ``trace``, whose controls ask for that very run."""
    store = FakeStore(trace or hand_made_trace(), cursor=cursor)
    store.controls.planned = store.trace.config
    return store


def with_latencies(trace, latencies):
    """Replace latencies by step index."""
    for index, latency in latencies.items():
        trace.steps[index] = replace(trace.steps[index], latency_ns=latency)
        trace._table[COLUMNS.index("latency_ns"), index] = latency
    return trace


def arrays_like(trace):
    """Arrays of one more row, as the trace's own."""
    layers = range(trace.config.model.shape.num_layers)
    rows = (trace.queries, trace.keys, trace.values)
    return StepArrays(*(np.stack([read(i)[:, :1] for i in layers]) for read in rows), None)


def put_up(qtbot, widget, width=344, height=212):
    """Show a widget at a size and let it lay itself out."""
    qtbot.addWidget(widget)
    widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    widget.resize(width, height)
    widget.show()
    QApplication.sendPostedEvents()
    return widget


def move_mouse(widget, x, y, buttons=Qt.MouseButton.NoButton):
    """Send a mouse move; where the real pointer is does not matter."""
    at = QPointF(x, y)
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        at,
        widget.mapToGlobal(at),
        Qt.MouseButton.NoButton,
        buttons,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)


def pixels(image, color):
    """Return how many pixels of an image are exactly ``color``."""
    wanted = color.rgb()
    return sum(
        image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height())
    )


def holds(outer, inner):
    """Whether one box is inside another, to half a pixel."""
    return outer.adjusted(-0.5, -0.5, 0.5, 0.5).contains(inner)
