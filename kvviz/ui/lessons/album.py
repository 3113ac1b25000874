"""Pictures of lessons' steps, each taken once everything on it rests."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QObject, QTimer, Slot

if TYPE_CHECKING:
    from kvviz.ui.window import MainWindow

LOOK_MS = 50
LOOKS_AT_REST = 3  # views paint a few turns after the last change

Keep = Callable[[str, int, bytes], None]


class Album(QObject):
    """Goes through (lesson, step) pairs, hands each PNG to ``keep``, then quits the application.

    ``problem`` says what went wrong, if anything did.
    """

    def __init__(
        self,
        window: "MainWindow",
        wanted: Sequence[tuple[str, int]],
        keep: Keep,
        give_up_ms: int,
    ) -> None:
        super().__init__(window)
        self.problem = ""
        self._window, self._keep = window, keep
        self._wanted = list(wanted)
        self._open: tuple[str, int] | None = None
        self._most_looks = give_up_ms // LOOK_MS
        self._looks = self._at_rest = 0
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    @Slot()
    def _look(self) -> None:
        store = self._window.store
        self._looks += 1
        if not self._wanted:
            self._end("")
        elif store.notice is not None and store.notice.is_error:
            self._end(store.notice.text)
        elif self._looks > self._most_looks:
            self._end(
                f"step {self._wanted[0][1] + 1} of {self._wanted[0][0]} did not come to rest."
            )
        elif self._open != self._wanted[0]:
            self._turn_to(*self._wanted[0])
        elif self._rests():
            self._at_rest += 1
            if self._at_rest >= LOOKS_AT_REST:
                self._take()
        else:
            self._at_rest = 0

    def _rests(self) -> bool:
        store = self._window.store
        return self._window.lessons.guide.resting and store.pictures.complete and store.frames.idle

    def _turn_to(self, name: str, step: int) -> None:
        lessons = self._window.lessons
        if self._open == (name, step - 1):
            lessons.go_on()
        else:
            lessons.open(name, step)
        self._open, self._looks, self._at_rest = (name, step), 0, 0

    def _take(self) -> None:
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        self._window.grab().save(buffer, "PNG")
        self._keep(*self._wanted.pop(0), bytes(buffer.data().data()))

    def _end(self, problem: str) -> None:
        self.problem = problem
        self._timer.stop()
        QCoreApplication.quit()
