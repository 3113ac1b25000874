"""What the worker says, filed where it belongs."""

from time import perf_counter

from kvviz.session.notice import Notice
from kvviz.session.run_desk import RunDesk
from kvviz.sizing.units import bytes_text
from kvviz.trace.config import ModelSpec
from kvviz.trace.head_kinds import HeadScores
from kvviz.trace.messages import (
    Event,
    HeadsMeasured,
    ModelLoaded,
    PoolKept,
    RunFailed,
    StepFinished,
    WorkerReady,
)
from kvviz.ui.changes import Change
from kvviz.ui.worker import Worker, WorkerStatus

EVENTS_AT_ONCE = 32
DRAIN_S = 0.008  # filing events takes no longer than this in one tick
MOST_MODELS = 8


class Intake:
    """Drains the worker; ``changes`` collects what that changed until the store tells it.

    ``pool_bytes`` are those of the pool that runs share, as its tensors have them.
    """

    def __init__(self, worker: Worker, desk: RunDesk) -> None:
        self.status = WorkerStatus()
        self.changes = Change.NONE
        self.news: Notice | None = None
        self.pool_bytes = 0
        self._worker = worker
        self._desk = desk
        self._heads: dict[ModelSpec, HeadScores] = {}

    def drain(self) -> bool:
        """Take events for as long as a tick may last; return whether there were any."""
        deadline, any_drained = perf_counter() + DRAIN_S, False
        while events := self._worker.drain(EVENTS_AT_ONCE):
            any_drained = True
            for event in events:
                self.changes |= self._take(event)
            if perf_counter() > deadline:  # asked after some are taken: none would be no turn more
                break
        return any_drained

    def heads_of(self, model: ModelSpec) -> HeadScores | None:
        """Return what the heads of a model were measured to look at, None where they were not."""
        return self._heads.get(model)

    def _take(self, event: Event) -> Change:
        if isinstance(event, WorkerReady):
            self.status = WorkerStatus(True, event.devices, event.torch_version, event.num_threads)
            return Change.STATUS
        if isinstance(event, HeadsMeasured):
            return self._keep(event)
        if isinstance(event, PoolKept):
            return self._take_pool(event)
        run = self._desk.file(event)
        if run is None:
            return Change.NONE
        if isinstance(event, StepFinished):
            return Change.STEPS if run is self._desk.runs.shown else Change.RUNS
        if isinstance(event, RunFailed):
            self.news = Notice(event.message)
            return Change.RUNS | Change.NOTICE
        if isinstance(event, ModelLoaded) and event.warnings:
            self.news = Notice(" ".join(event.warnings))
            return Change.RUNS | Change.NOTICE
        return Change.RUNS

    def _take_pool(self, event: PoolKept) -> Change:
        self.pool_bytes = event.num_bytes
        if not event.given_back:
            return Change.STATUS
        given_back = bytes_text(event.given_back)
        self.news = Notice(f"The pool was dropped: {given_back} given back, measured.", False)
        return Change.STATUS | Change.NOTICE

    def _keep(self, event: HeadsMeasured) -> Change:
        self._heads.pop(event.model, None)
        self._heads[event.model] = event.scores
        if len(self._heads) > MOST_MODELS:
            del self._heads[next(iter(self._heads))]
        return Change.RUNS
