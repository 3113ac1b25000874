"""Model and window take turns: while one works the other rests, so neither slows the other."""

from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from kvviz.session.run_desk import RunDesk

FRAME_MS = 33
MODEL_SHARE = 8  # at full speed the model has this many times what drawing takes
LONGEST_WAIT_MS = 500  # about two pictures a second at least: what waits to be filed grows


class Turns(QObject):
    """``due`` begins the window's turn, ``end`` ends it; no timer runs while nothing happens.

    Who asks for something comes first: the turn that answers does not wait for the model's share.
    """

    due = Signal()

    def __init__(self, desk: RunDesk, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._drawing = False
        self._again = self._at_once = False
        self._stopped = False
        self._began_s = self._last_s = perf_counter()
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._begin)

    @Slot(bool)
    def wake(self, at_once: bool = True) -> None:
        """Ask for a turn; in the middle of one, for another within a frame.

        If not ``at_once``, a turn planned for later, so that the model has its share, stays there.
        """
        if self._drawing:
            self._again = True
            self._at_once |= at_once
            return
        resting = not self._timer.isActive()
        if resting:
            self._last_s = perf_counter()
        if (resting or at_once) and not self._stopped:
            self._timer.start(0)

    def go_on(self) -> None:
        """Be due once more in the same turn, after others in the event loop."""
        self._timer.start(0)

    def elapsed_s(self) -> float:
        """Return the time since this was asked last, in seconds."""
        now = perf_counter()
        elapsed, self._last_s = now - self._last_s, now
        return elapsed

    def end(self, credit: int | None, *, again: bool) -> None:
        """Let the model go on up to ``credit``, and plan the next turn if there is to be one."""
        if not self._drawing:
            return
        self._drawing = False
        full_speed = self._desk.grant(credit)
        took_ms = (perf_counter() - self._began_s) * 1000
        if full_speed and not self._at_once:
            wait_ms = min(max(FRAME_MS, took_ms * MODEL_SHARE), LONGEST_WAIT_MS)
        else:
            wait_ms = max(1, FRAME_MS - took_ms)
        if again or self._again:
            self._again = self._at_once = False
            self._timer.start(round(wait_ms))

    def stop(self) -> None:
        """Take no more turns, whatever wakes."""
        self._stopped = True
        self._drawing = False
        self._timer.stop()

    @Slot()
    def _begin(self) -> None:
        if not self._drawing:
            self._drawing, self._began_s = True, perf_counter()
            self._desk.hold()
        self.due.emit()
