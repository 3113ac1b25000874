"""When things of an opening window were first on screen."""

from time import perf_counter

from PySide6.QtCore import QEvent, QObject, QTimer

from kvviz.bench.heartbeat import Heartbeat
from kvviz.ui.window import MainWindow


class FirstPaints(QObject):
    """Notes when a window, and when a token of a run, had first been painted.

    From the first paint on a heartbeat beats.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window_at = self.token_at = 0.0
        self.heartbeat = Heartbeat()
        self._window = window
        window.installEventFilter(self)
        window.store.frames.finished.connect(self._on_frame)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Look again right after what is on its way has been painted."""
        if not self.window_at and event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self._on_painted)
        return False

    def _on_painted(self) -> None:
        if not self.window_at:
            self.window_at = perf_counter()
            self.heartbeat.start()

    def _on_frame(self) -> None:
        if not self.token_at and self._window.store.step is not None:
            self.token_at = perf_counter()
