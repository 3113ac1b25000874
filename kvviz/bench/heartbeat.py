"""How late a 10 ms heartbeat of the window's thread is while a run plays at full speed."""

from time import perf_counter

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer, Slot

from kvviz.bench.measure import Measure, hand_in
from kvviz.bench.stage import long_run, play, show_warm, stage

BEAT_MS = 10
STEPS = 2000


class Heartbeat(QObject):
    """A timer that notes how late each of its beats is, in ms."""

    def __init__(self) -> None:
        super().__init__()
        self.late_ms: list[float] = []
        self._last = perf_counter()
        self._timer = QTimer(self, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_beat)

    def start(self) -> None:
        """Begin to beat."""
        self._last = perf_counter()
        self._timer.start()

    def stop(self) -> None:
        """Beat no more."""
        self._timer.stop()

    @Slot()
    def _on_beat(self) -> None:
        now = perf_counter()
        self.late_ms.append(max(0.0, (now - self._last) * 1000 - BEAT_MS))
        self._last = now


if __name__ == "__main__":
    with stage() as window:
        show_warm(window)
        heartbeat = Heartbeat()
        heartbeat.start()
        play(window.store, long_run(STEPS))
        heartbeat.stop()
        hand_in(
            {
                "late_p99": Measure(float(np.percentile(heartbeat.late_ms, 99))),
                "late_max": Measure(max(heartbeat.late_ms)),
            }
        )
