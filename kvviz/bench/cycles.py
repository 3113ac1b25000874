"""Whether threads are left behind when the worker is started and stopped over and over."""

import threading
from dataclasses import replace
from importlib import import_module
from time import perf_counter, sleep

import psutil
from PySide6.QtCore import QCoreApplication

from kvviz.bench.measure import Measure, hand_in
from kvviz.session.settings import Settings
from kvviz.trace.messages import StartRun
from kvviz.ui.worker import Worker

CYCLES = 200
WARM_UP = 10  # every kind of cycle twice: libraries start threads of their own the first time
LINGERS_S = 1.0  # a thread that was joined is the system's a moment longer


def threads_left() -> int:
    """Return how many more threads there are, Python's and the system's, after CYCLES cycles."""
    for cycle in range(WARM_UP):
        start_and_stop(cycle)
    process = psutil.Process()
    before = int(process.num_threads()), threading.active_count()
    for cycle in range(CYCLES):
        start_and_stop(cycle)
    end = perf_counter() + LINGERS_S
    while process.num_threads() > before[0] and perf_counter() < end:
        sleep(0.001)
    after = int(process.num_threads()), threading.active_count()
    return max(after[0] - before[0], after[1] - before[1])


def start_and_stop(cycle: int) -> None:
    """Start a worker and a run, end both: before, during or after the run's steps."""
    settings = replace(Settings(), num_layers=1, max_new_tokens=4)
    config = settings.to_config(tuple(settings.prompt.encode()))
    worker = Worker()
    worker.allow(1, cycle % 5)
    worker.start()
    worker.send(StartRun(1, config))
    if cycle % 2:
        while not worker.drain(64):
            sleep(0.001)
        worker.cancel(1)
    if not worker.shut_down(timeout_s=60):
        raise RuntimeError(f"the worker of cycle {cycle} did not end")


if __name__ == "__main__":
    application = QCoreApplication([])
    import_module("kvviz.engine.runner")  # the workers then start at once, torch is there
    hand_in({"threads": Measure(threads_left())})
