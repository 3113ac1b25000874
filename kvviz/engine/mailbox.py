"""Events from the runner's thread, taken out by another."""

import threading
from collections import deque
from collections.abc import Callable

from kvviz.trace.messages import Event, RunFailed, RunFinished

HIGH_WATER_MARK = 4096


class Mailbox:
    """A lossless queue that makes the sender wait rather than grow without bound.

    ``on_waiting`` is called, on the sender's thread, each time the box turns from empty to not,
    and at the end of each run, which it is told; never once the box is closed: whom it tells may be
    gone then.
    """

    def __init__(
        self, on_waiting: Callable[[bool], None] = lambda _: None, limit: int = HIGH_WATER_MARK
    ) -> None:
        self._events: deque[Event] = deque()
        self._room = threading.Condition()
        self._on_waiting = on_waiting
        self._limit = limit
        self._closed = False

    def post(self, event: Event, give_up: threading.Event | None = None) -> None:
        """Add an event; wait for room until there is some, ``give_up`` is set or it is closed."""
        with self._room:
            self._room.wait_for(
                lambda: (
                    len(self._events) < self._limit
                    or self._closed
                    or (give_up is not None and give_up.is_set())
                )
            )
            self._events.append(event)
            ended = isinstance(event, (RunFinished, RunFailed))
            if (ended or len(self._events) == 1) and not self._closed:
                self._on_waiting(ended)

    def drain(self, most: int | None = None) -> list[Event]:
        """Take out up to ``most`` events, oldest first."""
        with self._room:
            count = len(self._events) if most is None else min(most, len(self._events))
            events = [self._events.popleft() for _ in range(count)]
            self._room.notify_all()
        return events

    def wake(self) -> None:
        """Let a waiting sender look again whether it should give up."""
        with self._room:
            self._room.notify_all()

    def close(self) -> None:
        """Never make a sender wait again."""
        with self._room:
            self._closed = True
            self._room.notify_all()
