"""One frame of the window, drawn view by view so that nothing waits for the whole of it."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

# Qt paints a turn of the loop after it is asked to.
TURNS_TO_PAINT = 2


class Frames(QObject):
    """Calls what was asked for one at a time, a turn of the event loop apart.

    ``finished`` follows when all are called and painted.
    """

    finished = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: dict[Callable[[], None], None] = {}
        self._turns_left = 0
        self._stopped = False
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._next)

    @property
    def idle(self) -> bool:
        """Whether there is nothing to draw."""
        return not self._turn.isActive()

    def ask(self, draw: Callable[[], None]) -> None:
        """Call ``draw`` in its turn; asked twice, it is called once."""
        if self._stopped:
            return
        self._waiting[draw] = None
        self._turns_left = TURNS_TO_PAINT
        if not self._turn.isActive():
            self._turn.start()

    def stop(self) -> None:
        """Draw nothing more, whatever is asked."""
        self._stopped = True
        self._waiting.clear()
        self._turn.stop()

    @Slot()
    def _next(self) -> None:
        if self._waiting:
            draw = next(iter(self._waiting))
            del self._waiting[draw]
            draw()
            return
        self._turns_left -= 1
        if self._turns_left <= 0:
            self._turn.stop()
            self.finished.emit()
