"""A worker that runs nothing: requests are written down, events are handed in by the test."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from kvviz.trace.messages import (
    EndReason,
    RunFailed,
    RunFinished,
    RunStarted,
    StartRun,
    StepFinished,
    WorkerReady,
)
from kvviz.trace.step import StepArrays


class StillWorker(QObject):
    """Stands where the runner's thread would be."""

    waiting = Signal()

    def __init__(self):
        super().__init__()
        self.sent = []
        self.cancelled = []
        self.allowed = {}
        self._events = []

    def start(self):
        pass

    def send(self, command):
        self.sent.append(command)

    def allow(self, run_id, steps):
        self.allowed[run_id] = steps

    def cancel(self, run_id):
        self.cancelled.append(run_id)

    def drain(self, most):
        taken, self._events = self._events[:most], self._events[most:]
        return taken

    def hand_in(self, events):
        """Put events where the store finds them, and say so."""
        self._events.extend(events)
        self.waiting.emit()

    @property
    def empty(self):
        """Whether the store has taken everything."""
        return not self._events

    def shut_down(self):
        return True

    @property
    def started(self):
        """The runs asked for, oldest first."""
        return [command for command in self.sent if isinstance(command, StartRun)]


def deliver(store, worker, *events):
    """Hand events in and come back when the store has taken and told them all."""
    told_all = []

    def on_changed(_changes):
        told_all.append(worker.empty)

    store.changed.connect(on_changed)
    worker.hand_in(events)
    while not any(told_all):
        QApplication.processEvents()
    store.changed.disconnect(on_changed)


def ready(store, worker, devices=("cpu",)):
    """Say that the libraries are there."""
    deliver(store, worker, WorkerReady(devices, "2.13.0", 1))


def play(store, worker, run_id, trace, *, steps=None, end=True, can_continue=True):
    """Hand in the steps of a hand-made trace as those of ``run_id``."""
    events = [RunStarted(run_id)]
    for step in trace.steps[:steps]:
        rows = slice(step.first_row, step.seq_len)
        arrays = StepArrays(
            trace._q[:, rows].swapaxes(1, 2),
            trace._k[:, rows].swapaxes(1, 2),
            trace._v[:, rows].swapaxes(1, 2),
            trace.logits(step.index),
        )
        events.append(StepFinished(run_id, step, arrays))
    if end:
        events.append(RunFinished(run_id, EndReason.LENGTH, can_continue))
    deliver(store, worker, *events)


def fail(store, worker, run_id, message):
    """End a run with an error."""
    deliver(store, worker, RunFailed(run_id, message, ""))
