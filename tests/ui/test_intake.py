"""What the worker says is taken however slow the machine is."""

from itertools import count

from still_worker import StillWorker, play

from kvviz.session.run_desk import RunDesk
from kvviz.trace.messages import WorkerReady
from kvviz.ui import intake
from kvviz.ui.intake import EVENTS_AT_ONCE, Intake


def test_events_are_taken_though_time_is_over_at_once(monkeypatch):
    monkeypatch.setattr(intake, "perf_counter", count().__next__)
    worker = StillWorker()
    filed = Intake(worker, RunDesk(worker))
    worker.hand_in([WorkerReady(("cpu",), "2.13.0", 1)] * (EVENTS_AT_ONCE + 1))
    assert filed.drain()
    assert filed.status.ready
    assert not worker.empty
    assert filed.drain()
    assert worker.empty
    assert not filed.drain()


def test_a_run_arrives_whole_on_a_machine_without_time(store, worker, trace, monkeypatch):
    monkeypatch.setattr(intake, "perf_counter", count().__next__)
    store.run()
    play(store, worker, store.shown.run_id, trace)
    assert len(store.trace) == len(trace)
