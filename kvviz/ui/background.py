"""Work that would make the window wait, done beside it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from kvviz.sizing.errors import InputError

T = TypeVar("T")
READ_S = 0.2  # a read that is given up loses nothing


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a piece of work gave, or the sentence why it gave nothing."""

    then: Callable[[Any], None]
    value: Any
    problem: str | None


class Background(QObject):
    """Runs one piece of work at a time on a thread; what follows runs on the window's.

    A thread that hangs, as on a network drive that is gone, never keeps the process from ending.
    """

    failed = Signal(str)
    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self._closing = threading.Lock()
        self._closed = False
        self._ended.connect(self._on_ended)

    @property
    def busy(self) -> bool:
        """Whether work is going on."""
        return self._thread is not None

    def do(self, work: Callable[[], T], then: Callable[[T], None]) -> bool:
        """Start ``work``; ``then`` gets what it returns.  False where other work is going on."""
        if self.busy:
            return False
        self._thread = threading.Thread(
            target=self._run, args=(work, then), name="background", daemon=True
        )
        self._thread.start()
        return True

    def shut_down(self, timeout_s: float = READ_S) -> None:
        """Wait for what is going on, but no longer than that; nobody hears of it any more."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        with self._closing:  # this object may be gone when a thread that hung comes back
            self._closed = True

    def _run(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        try:
            outcome = Outcome(then, work(), None)
        except InputError as error:
            outcome = Outcome(then, None, str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the window must hear of it
            outcome = Outcome(then, None, f"That did not work ({type(error).__name__}: {error}).")
        with self._closing:
            if not self._closed:
                self._ended.emit(outcome)

    @Slot(object)
    def _on_ended(self, outcome: Outcome) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if outcome.problem is None:
            outcome.then(outcome.value)
        else:
            self.failed.emit(outcome.problem)
