"""How often something may be drawn anew while things run fast."""

from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal, Slot


class Gate(QObject):
    """``opened`` follows every ``ask``: at once, or when the interval since the last is over."""

    opened = Signal()

    def __init__(
        self, interval_ms: int, parent: QObject, clock: Callable[[], float] = monotonic
    ) -> None:
        super().__init__(parent)
        self._interval_ms = interval_ms
        self._clock = clock
        self._last_ms = float("-inf")
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._open)

    def ask(self, *, hurried: bool) -> None:
        """Ask to be let through; ``hurried`` callers wait their turn, and once is enough."""
        left_ms = self._interval_ms - (self._clock() * 1000 - self._last_ms)
        if not hurried or left_ms <= 0:
            self._open()
        elif not self._timer.isActive():
            self._timer.start(max(1, round(left_ms)))

    @Slot()
    def _open(self) -> None:
        self._timer.stop()
        self._last_ms = self._clock() * 1000
        self.opened.emit()
