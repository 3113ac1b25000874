"""The runner's thread, as the window sees it."""

import gc
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from kvviz.engine.mailbox import Mailbox
from kvviz.engine.preload import preload_torch
from kvviz.trace.messages import Command, Event, Shutdown

if TYPE_CHECKING:
    from kvviz.engine.runner import Runner

IMPORT_TIMEOUT_S = 0.5

Request = Callable[["Runner"], None]


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """What the worker said of itself; not ready until torch is imported."""

    ready: bool = False
    devices: tuple[str, ...] = ("cpu",)
    torch_version: str = ""
    num_threads: int = 0


class Worker(QObject):
    """Starts the runner, passes requests on and hands out its events.

    torch is imported inside the thread, so that the window is there first; what is asked until
    then waits.
    """

    waiting = Signal(bool)  # whether a run has ended
    _posted = Signal(bool)  # the same, in the runner's thread

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mailbox = Mailbox(self._posted.emit)
        self._posted.connect(self.waiting)
        self._lock = threading.Lock()
        self._runner: Runner | None = None
        self._early: list[Request] = []
        self._thread = threading.Thread(target=self._run, name="runner", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def send(self, command: Command) -> None:
        """Queue a command."""
        self._pass_on(lambda runner: runner.send(command))

    def allow(self, run_id: int, steps: int | None) -> None:
        """Say how many steps in all a run may have computed; None: no limit."""
        self._pass_on(lambda runner: runner.allow(run_id, steps))

    def cancel(self, run_id: int) -> None:
        """End a run between two layers."""
        self._pass_on(lambda runner: runner.cancel(run_id))

    def drain(self, most: int) -> list[Event]:
        """Take up to ``most`` events, oldest first."""
        return self._mailbox.drain(most)

    def shut_down(self, timeout_s: float = 1.0) -> bool:
        """End the thread; return whether it ended in time.

        It ends between two layers.  An import or a read that hangs cannot be interrupted, and has
        nothing to lose.
        """
        self.send(Shutdown())
        self._mailbox.close()
        if self._thread.ident is not None:
            self._thread.join(IMPORT_TIMEOUT_S if self._runner is None else timeout_s)
        return not self.is_running

    @property
    def is_running(self) -> bool:
        """Whether the thread is there."""
        return self._thread.is_alive()

    def _pass_on(self, request: Request) -> None:
        with self._lock:
            if self._runner is None:
                self._early.append(request)
                return
            runner = self._runner
        request(runner)

    def _run(self) -> None:
        preload_torch()
        # torch makes a million objects that live for ever: looking through them, while they come
        # and afterwards, would stop the window for up to 300 ms each time.
        gc.disable()
        try:
            from kvviz.engine.runner import Runner
        finally:
            gc.freeze()
            gc.enable()
        runner = Runner(self._mailbox)
        with self._lock:
            for request in self._early:
                request(runner)
            self._early.clear()
            self._runner = runner
        runner.loop()
