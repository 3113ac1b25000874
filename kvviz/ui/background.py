"""Work that would make the window wait, done beside it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from kvviz.sizing.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a piece of work gave, or the sentence why it gave nothing."""

    then: Callable[[Any], None]
    value: Any
    problem: str | None


class Background(QObject):
    """Runs one piece of work at a time on a thread; what follows runs on the window's."""

    failed = Signal(str)
    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self._ended.connect(self._on_ended)

    @property
    def busy(self) -> bool:
        """Whether work is going on."""
        return self._thread is not None

    def do(self, work: Callable[[], T], then: Callable[[T], None]) -> bool:
        """Start ``work``; ``then`` gets what it returns.  False where other work is going on."""
        if self.busy:
            return False
        self._thread = threading.Thread(target=self._run, args=(work, then), name="background")
        self._thread.start()
        return True

    def shut_down(self) -> None:
        """Wait for what is going on: a file half written helps nobody."""
        if self._thread is not None:
            self._thread.join()

    def _run(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        try:
            outcome = Outcome(then, work(), None)
        except InputError as error:
            outcome = Outcome(then, None, str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the window must hear of it
            outcome = Outcome(then, None, f"That did not work ({type(error).__name__}: {error}).")
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
