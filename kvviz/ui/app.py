"""The application object: style, exceptions, signals, and whether there is a screen."""

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from types import TracebackType

import pyqtgraph
from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

WAKE_MS = 250  # how long Ctrl+C may wait until the interpreter runs


def no_display_reason() -> str | None:
    """Return why no window can be opened; None where one can."""
    has_screen = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    if sys.platform != "linux" or has_screen or os.environ.get("QT_QPA_PLATFORM"):
        return None
    return (
        "There is no display: DISPLAY and WAYLAND_DISPLAY are empty. Start kvviz from a desktop, "
        "or use `kvviz run`, which needs none."
    )


def create_application(argv: Sequence[str]) -> QApplication:
    """Return the application, named and styled; nothing is shown yet."""
    pyqtgraph.setConfigOptions(imageAxisOrder="row-major", antialias=False)
    application = QApplication(list(argv))
    application.setApplicationName("kvviz")
    application.setDesktopFileName("kvviz")
    application.setStyle("Fusion")
    return application


class Interruptions(QObject):
    """Ctrl+C and SIGTERM close the windows, as a person would; ``code`` is the exit code."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self.code = 0
        # Python sees a signal only while it runs: Qt's loop must call it now and then.
        self._wake = QTimer(self, interval=WAKE_MS)
        self._wake.timeout.connect(_nothing)
        self._wake.start()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: object) -> None:
        self.code = 128 + number
        QApplication.closeAllWindows()
        QCoreApplication.quit()


class Faults(QObject):
    """Exceptions nobody caught, from any thread, each kind said once."""

    found = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: set[tuple[str, str, int]] = set()
        self._old_hooks: tuple[Callable[..., object], Callable[..., object]] | None = None

    def watch(self) -> None:
        """Take the interpreter's hooks."""
        self._old_hooks = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._on_exception
        threading.excepthook = lambda args: self._on_exception(
            args.exc_type, args.exc_value, args.exc_traceback
        )

    def release(self) -> None:
        """Give the hooks back."""
        if self._old_hooks is not None:
            sys.excepthook, threading.excepthook = self._old_hooks
            self._old_hooks = None

    def _on_exception(
        self,
        kind: type[BaseException],
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        last = traceback.extract_tb(trace)[-1:] if trace else []
        place = (
            (kind.__name__, last[0].filename, last[0].lineno or 0) if last else (str(kind), "", 0)
        )
        if place in self._known:
            return
        self._known.add(place)
        traceback.print_exception(kind, error, trace)
        # A signal is queued to the window's thread, whichever thread this is.
        self.found.emit(
            f"Something in kvviz went wrong ({kind.__name__}: {error}); what you see stays usable."
        )


def _nothing() -> None:
    """Give the interpreter its turn."""
