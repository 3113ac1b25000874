"""Runs asked for, and what the worker says of them."""

from collections.abc import Sequence
from typing import Protocol

from kvviz.session.runs import Run, RunList, RunState
from kvviz.trace.config import RunConfig, check_fits
from kvviz.trace.messages import (
    Command,
    ContinueRun,
    DropPool,
    EndReason,
    Event,
    HeadsMeasured,
    ModelLoading,
    PoolKept,
    ReleaseRun,
    RunFailed,
    RunFinished,
    RunStarted,
    StartRun,
    StepFinished,
    WorkerReady,
)
from kvviz.trace.trace import Trace


class WorkerPort(Protocol):
    """The three things that can be asked of a worker."""

    def send(self, command: Command) -> None:
        """Queue a command."""

    def allow(self, run_id: int, steps: int | None) -> None:
        """Say how many steps in all a run may have computed; None: no limit."""

    def cancel(self, run_id: int) -> None:
        """End a run between two layers."""


class RunDesk:
    """Starts, continues and ends runs, and files their steps into their traces."""

    def __init__(self, worker: WorkerPort) -> None:
        self.runs = RunList()
        self._worker = worker
        self._granted: tuple[int, int | None] | None = None

    def start(self, config: RunConfig, prompt_pieces: tuple[str, ...], *, show: bool) -> Run:
        """Start a run; one in progress is cancelled by the worker, and a comparison with it."""
        self._end_waiting()
        run = self._new(config, prompt_pieces)
        if show:
            self.runs.shown_id, self.runs.compared_id = run.run_id, None
        self._add(run)
        self._send(run)
        return run

    def compare(self, configs: Sequence[RunConfig], prompt_pieces: tuple[str, ...]) -> None:
        """Run one prompt several ways, one after another; the first is the reference.

        The set goes on screen; a run in progress is cancelled by the worker.
        """
        self._end_waiting()
        runs = [self._new(config, prompt_pieces) for config in configs]
        for run in runs:
            run.state, run.set_id = RunState.WAITING, runs[0].run_id
        self.runs.compared_id = runs[0].run_id
        self._add(*runs)
        self._send(runs[0])

    def adopt(self, trace: Trace) -> Run:
        """Show a trace that was read from a file."""
        pieces = tuple(token.piece for token in trace.tokens[: len(trace.config.prompt_ids)])
        run = Run(self.runs.new_id(), trace, pieces, len(trace.tokens), RunState.FINISHED)
        self.runs.shown_id, self.runs.compared_id = run.run_id, None
        self._add(run)
        return run

    def go_on(self, run: Run, max_new_tokens: int, text_ids: tuple[int, ...]) -> None:
        """Continue a finished run; raises InputError where it would pass the sequence limit."""
        known = len(run.trace.tokens) + len(text_ids)
        check_fits(known, max_new_tokens, run.config.max_seq_len)
        run.planned_tokens = known + max_new_tokens
        run.state, run.can_continue = RunState.RUNNING, False
        self._worker.send(ContinueRun(run.run_id, max_new_tokens, text_ids))

    def cancel_live(self) -> None:
        """End the run in progress, and the comparison that it is part of."""
        self._end_waiting()
        if (run := self.runs.live) is not None:
            self._worker.cancel(run.run_id)

    def remove(self, run_id: int) -> None:
        """Drop a run from the list, a compared one with its set; what it held is released."""
        for run in self.runs.remove(run_id):
            self._let_go(run)

    def release(self, run: Run) -> None:
        """Give back what a finished run's cache holds; it stays in the list and cannot go on."""
        if run.can_continue:
            run.can_continue, run.given_back = False, True
            self._worker.send(ReleaseRun(run.run_id))

    def drop_pool(self) -> None:
        """Give back the pool that runs share; none of them can be continued then."""
        for run in self.runs.runs:
            run.can_continue &= not run.config.shares_pool
            run.given_back |= run.config.shares_pool
        self._worker.send(DropPool())

    def grant(self, credit: int | None) -> bool:
        """Pass on the shown run's credit; others, and those of a comparison, have no limit.

        Returns whether a run now goes as fast as it can.
        """
        run = self.runs.live
        if run is None:
            return False
        watched = run.run_id == self.runs.shown_id and run.set_id is None
        granted = (run.run_id, credit if watched else None)
        if granted != self._granted:
            self._granted = granted
            self._worker.allow(*granted)
        return granted[1] is None

    def hold(self) -> None:
        """Let the run in progress rest after the step it is at, until the next grant."""
        run = self.runs.live
        if run is not None and self._granted is not None and self._granted != (run.run_id, 0):
            self._granted = (run.run_id, 0)
            self._worker.allow(*self._granted)

    def file(self, event: Event) -> Run | None:
        """Take one event; return the run it concerns, None where that is not in the list."""
        if isinstance(event, WorkerReady | HeadsMeasured | PoolKept):
            return None
        run = self.runs.find(event.run_id)
        if run is None:
            return None
        run.loading = (event.done, event.total) if isinstance(event, ModelLoading) else None
        if isinstance(event, StepFinished):
            run.trace.append(event.step, event.arrays)
        elif isinstance(event, RunStarted):
            run.state = RunState.RUNNING
        elif isinstance(event, RunFailed):
            run.state, run.message, run.can_continue = RunState.FAILED, event.message, False
        elif isinstance(event, RunFinished):
            self._file_end(run, event)
        if not run.live and self.runs.live is None:
            self._send_next()
        return run

    def _file_end(self, run: Run, event: RunFinished) -> None:
        cancelled = event.reason is EndReason.CANCELLED
        run.state = RunState.CANCELLED if cancelled else RunState.FINISHED
        run.can_continue = event.can_continue
        alone = run.set_id is None
        if cancelled and alone and not len(run.trace) and not self.runs.keeps(run.run_id):
            self.runs.remove(run.run_id)  # a slider moved on before its first step

    def _new(self, config: RunConfig, prompt_pieces: tuple[str, ...]) -> Run:
        planned = len(config.prompt_ids) + config.max_new_tokens
        return Run(self.runs.new_id(), Trace(config), prompt_pieces, planned)

    def _add(self, *runs: Run) -> None:
        for dropped in self.runs.add(*runs):
            self._let_go(dropped)

    def _let_go(self, run: Run) -> None:
        if run.live:  # nobody would see it end
            self._worker.cancel(run.run_id)
        else:
            self.release(run)

    def _send(self, run: Run) -> None:
        run.state = RunState.LOADING
        self._forget_kept(run.config)
        self._worker.send(StartRun(run.run_id, run.config))

    def _send_next(self) -> None:
        if waiting := self.runs.waiting:
            self._send(waiting[0])

    def _end_waiting(self) -> None:
        for run in self.runs.waiting:
            run.state = RunState.CANCELLED

    def _forget_kept(self, starting: RunConfig) -> None:
        # The worker keeps one cache: a run without one leaves it where it is.
        for run in self.runs.runs:
            if starting.layout.keeps_entries or not run.config.layout.keeps_entries:
                run.can_continue = False
