"""Calls into a library that may panic, print about it, or never come back."""

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")
ERROR_STREAM = 2
MOST_WORDS = 200  # characters of a reason that are told


class RejectedError(Exception):
    """The library raised or panicked; its reason in one line."""


class Guard(Generic[Value]):
    """One kind of call, made on a thread of its own; a call that does not end blocks the next."""

    def __init__(self) -> None:
        self._hanging: threading.Thread | None = None

    @property
    def is_stuck(self) -> bool:
        """Whether a call that was given up still runs."""
        return self._hanging is not None and self._hanging.is_alive()

    def call(self, work: Callable[[], Value], limit_s: float | None = None) -> Value:
        """Return what ``work`` does; raise RejectedError, or TimeoutError after ``limit_s``."""
        if self.is_stuck:
            raise TimeoutError
        values: list[Value] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                values.append(work())
            except BaseException as error:  # noqa: BLE001 - a Rust panic is no Exception
                errors.append(error)

        thread = threading.Thread(target=run, name="guarded", daemon=True)
        with _silence:
            thread.start()
            thread.join(limit_s)
        if thread.is_alive():
            self._hanging = thread
            raise TimeoutError
        if errors:
            raise RejectedError(_reason(errors[0])) from errors[0]
        return values[0]


class Silence:
    """Keeps what a panic prints off the terminal: it is told in one sentence instead.

    Any number of threads may be inside; the error stream comes back when the last one leaves.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._kept: int | None = None

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._kept = _redirected()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside and self._kept is not None:
                os.dup2(self._kept, ERROR_STREAM)
                os.close(self._kept)
                self._kept = None


_silence = Silence()


def _redirected() -> int | None:
    """Send the error stream nowhere and return where it went; None if the program has none."""
    try:
        kept = os.dup(ERROR_STREAM)
    except OSError:
        return None
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, ERROR_STREAM)
    os.close(nowhere)
    return kept


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:MOST_WORDS].rstrip(".")
