import gc
import os
import sys
import threading
import weakref

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

if sys.platform == "linux" and not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# How long a test waits for what must happen; reached only where it fails, or on a busy machine.
QtBot.waitUntil.__kwdefaults__["timeout"] = 60_000


@pytest.fixture(autouse=True)
def own_settings(tmp_path, monkeypatch):
    """No test reads or writes a person's settings."""
    monkeypatch.setenv("KVVIZ_SETTINGS", str(tmp_path / "settings" / "settings.json"))


@pytest.fixture(autouse=True)
def nothing_left(monkeypatch):
    """A test leaves no thread, no running timer and no window behind."""
    threads, windows = set(threading.enumerate()), set(open_windows())
    timers = watch_timers(monkeypatch)
    yield
    for thread in set(threading.enumerate()) - threads:
        thread.join(60)  # a window closed at once leaves the import of torch to end by itself
        assert not thread.is_alive(), f"{thread.name} is still running"
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    if set(open_windows()) - windows or any(map(is_running, timers)):
        gc.collect()  # what only a cycle held is not left behind
    left = [name for place, name in open_windows().items() if place not in windows]
    assert left == []
    assert [timer.parent() for timer in filter(is_running, timers)] == []


def watch_timers(monkeypatch):
    """Return a set that takes in every timer started from now on."""
    timers, start = weakref.WeakSet(), QTimer.start

    def watched_start(timer, *args):
        timers.add(timer)
        start(timer, *args)

    monkeypatch.setattr(QTimer, "start", watched_start)
    return timers


def is_running(timer):
    return shiboken6.isValid(timer) and timer.isActive()


def open_windows():
    """Return the top-level widgets by address; a tooltip is Qt's own."""
    if QApplication.instance() is None:
        return {}
    return {
        shiboken6.getCppPointer(widget)[0]: repr(widget)
        for widget in QApplication.topLevelWidgets()
        if widget.metaObject().className() != "QTipLabel"
    }
