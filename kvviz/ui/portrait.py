"""A picture of the window once a run has ended and everything is drawn."""

from collections.abc import Sequence

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QObject, QTimer, Slot

from kvviz.sizing.layout import CacheLayout
from kvviz.ui.window import MainWindow

LOOK_MS = 50


class Portrait(QObject):
    """Waits for the run's end, goes to a step, takes the PNG, quits the application.

    Where there are ``layouts``, it compares them first.
    """

    def __init__(
        self,
        window: MainWindow,
        at: int | None,
        give_up_ms: int,
        layouts: Sequence[CacheLayout] = (),
    ) -> None:
        super().__init__(window)
        self.png: bytes | None = None
        self.problem = ""
        self._window = window
        self._at = at
        self._layouts = layouts
        self._looks_left = give_up_ms // LOOK_MS
        self._settled = False
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    @Slot()
    def _look(self) -> None:
        store = self._window.store
        run = store.shown
        self._looks_left -= 1
        if store.notice is not None and store.notice.is_error:
            self._end(store.notice.text)
        elif self._looks_left <= 0:
            self._end("the run did not end in time.")
        elif run is None or store.runs.live is not None or not self._at_rest:
            return
        elif self._layouts:
            layouts, self._layouts = self._layouts, ()
            store.compare(layouts)
        elif not self._settled:
            # One more look lets every view paint the step it has just been sent to.
            self._settled = True
            store.seek(len(run.trace) - 1 if self._at is None else self._at)
        else:
            self._take()

    @property
    def _at_rest(self) -> bool:
        store = self._window.store
        drawn = store.pictures.complete and store.frames.idle
        return drawn and not store.playback.playing and not self._window.files.busy

    def _take(self) -> None:
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        self._window.grab().save(buffer, "PNG")
        self.png = bytes(buffer.data().data())
        self._end("")

    def _end(self, problem: str) -> None:
        self.problem = problem
        self._timer.stop()
        QCoreApplication.quit()
