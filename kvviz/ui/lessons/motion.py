"""One motion of the cursor: first a moment to read, then steps, then rest."""

from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Signal, Slot

READ_S = 0.5  # text first
STEP_S, LONGEST_S = 0.16, 1.8
FRAME_MS = 33


class Motion(QObject):
    """``moved(step)`` on the way, ``rested`` once at the end, even where there was no way."""

    moved = Signal(int)
    rested = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._start = self._target = self._at = 0
        self._began_s = 0.0
        self._timer = QTimer(self, interval=FRAME_MS)
        self._timer.timeout.connect(self._on_time)

    @property
    def moving(self) -> bool:
        """Whether the end is not reached."""
        return self._timer.isActive()

    def begin(self, start: int, target: int) -> None:
        """Move from one step to another; from a step to itself rests at once."""
        self._start = self._at = start
        self._target = target
        self._began_s = perf_counter()
        if start == target:
            self._timer.stop()
            self.rested.emit()
        else:
            self._timer.start()

    def finish(self) -> None:
        """Be at the end now."""
        if self.moving:
            self._reach(self._target)

    def stop(self) -> None:
        """Stay here; nothing follows."""
        self._timer.stop()

    @Slot()
    def _on_time(self) -> None:
        way = self._target - self._start
        takes = min(LONGEST_S, STEP_S * way)
        share = (perf_counter() - self._began_s - READ_S) / takes
        if share >= 0:
            self._reach(min(self._target, self._start + 1 + int(share * way)))

    def _reach(self, index: int) -> None:
        if index != self._at:
            self._at = index
            self.moved.emit(index)
        if index == self._target:
            self._timer.stop()
            self.rested.emit()
