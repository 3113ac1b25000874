"""Grid rows shaded on a thread of their own; what is asked last is what is made."""

import threading
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass

from kvviz.session.shading import Bytes, Shading, shade_rows
from kvviz.trace.trace import Trace

ROWS_AT_ONCE = 128


@dataclass(frozen=True, slots=True)
class RowsWanted:
    """Rows ``start``..``stop`` of a trace, shaded; ``key`` comes back with them."""

    key: Hashable
    trace: Trace
    shading: Shading
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class RowsShaded:
    """Rows from ``start`` on, uint8 [R, S]."""

    key: Hashable
    start: int
    rows: Bytes


class PictureMaker:
    """Shades the rows asked for; asking again replaces whatever has not been begun."""

    def __init__(self) -> None:
        self._wanted: deque[RowsWanted] = deque()
        self._shaded: deque[RowsShaded] = deque()
        self._change = threading.Condition()
        self._stopping = False
        self._busy = False
        self._thread = threading.Thread(target=self._loop, name="pictures", daemon=True)
        self._thread.start()

    def ask(self, wanted: list[RowsWanted]) -> None:
        """Replace what was asked for, most urgent first."""
        with self._change:
            self._wanted = deque(wanted)
            self._change.notify_all()

    def take(self) -> list[RowsShaded]:
        """Take what has been made, in order."""
        with self._change:
            done = list(self._shaded)
            self._shaded.clear()
        return done

    def wait_until_idle(self, timeout_s: float) -> bool:
        """Wait until all that was asked for is made; for tests and pictures."""
        with self._change:
            return self._change.wait_for(lambda: not self._wanted and not self._busy, timeout_s)

    def stop(self) -> None:
        """End the thread and wait for it."""
        with self._change:
            self._stopping = True
            self._change.notify_all()
        self._thread.join()

    def _loop(self) -> None:
        while (piece := self._next_piece()) is not None:
            rows = shade_rows(piece.trace, piece.shading, piece.start, piece.stop)
            with self._change:
                self._shaded.append(RowsShaded(piece.key, piece.start, rows))
                self._busy = False
                self._change.notify_all()

    def _next_piece(self) -> RowsWanted | None:
        with self._change:
            self._change.wait_for(lambda: self._wanted or self._stopping)
            if self._stopping:
                return None
            self._busy = True
            whole = self._wanted.popleft()
            stop = min(whole.stop, whole.start + ROWS_AT_ONCE)
            if stop < whole.stop:
                rest = RowsWanted(whole.key, whole.trace, whole.shading, stop, whole.stop)
                self._wanted.appendleft(rest)
            return RowsWanted(whole.key, whole.trace, whole.shading, whole.start, stop)
