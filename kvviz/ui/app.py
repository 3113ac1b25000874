"""The application object: style, exceptions, signals."""

import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import PurePath
from types import TracebackType

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMessageLogContext,
    QObject,
    QTimer,
    QtMsgType,
    Signal,
    Slot,
    qFormatLogMessage,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from kvviz.sizing.errors import InputError
from kvviz.ui.allocation import keep_large_blocks_apart

WAKE_MS = 250  # how long Ctrl+C may wait until the interpreter runs
LONGEST_WORDS = 160
NO_HINTS = "This plugin does not support propagateSizeHints()"  # off screen nobody asks for them


def create_application(argv: Sequence[str]) -> QApplication:
    """Return the application, named and styled; nothing is shown yet."""
    leave_imports_alone()
    keep_large_blocks_apart()
    application = QApplication(list(argv))
    application.setApplicationName("kvviz")
    application.setOrganizationName("kvviz")
    application.setDesktopFileName("kvviz")
    application.setStyle("Fusion")
    if application.platformName() == "offscreen":
        qInstallMessageHandler(_write_message)
    return application


def leave_imports_alone() -> None:
    """Let PySide not read the source of each module that is imported after it.

    It looks for features that nothing here uses.  To look, it asks a module for attributes, and
    pydantic's modules import others to answer: beside torch's import that failed now and then.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        vars(feature)["_mod_uses_pyside"] = _uses_no_features


def _uses_no_features(_module: object) -> bool:
    return False


def _write_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    if message != NO_HINTS and sys.stderr is not None:
        sys.stderr.write(f"{qFormatLogMessage(kind, context, message)}\n")


def finish(application: QApplication) -> None:
    """Close every window and delete what waits for it: left to the interpreter it may crash."""
    application.closeAllWindows()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()


class Interruptions(QObject):
    """Ctrl+C, SIGTERM and a closed terminal close the windows; ``code`` is the exit code."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self.code = 0
        # Python sees a signal only while it runs: Qt's loop must call it now and then.
        self._wake = QTimer(self, interval=WAKE_MS)
        self._wake.timeout.connect(_nothing)
        self._wake.start()
        numbers = [signal.SIGINT, signal.SIGTERM]
        hang_up = getattr(signal, "SIGHUP", None)  # its terminal is closed; nohup ignores it
        if hang_up is not None and signal.getsignal(hang_up) is not signal.SIG_IGN:
            numbers.append(hang_up)
        self._before = {number: signal.signal(number, self._on_signal) for number in numbers}

    def release(self) -> None:
        """Leave signals as they were before."""
        self._wake.stop()
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, frame: object) -> None:
        self.code = 128 + number
        # A signal may come in the middle of a paint event, where nothing can be closed.
        QTimer.singleShot(0, _close_all)


class Faults(QObject):
    """Exceptions nobody caught, from any thread, each kind said once and in one sentence.

    ``found`` is emitted in the thread that this object lives in, whichever thread failed.
    KVVIZ_DEBUG=1 prints the traceback as well.
    """

    found = Signal(str)
    _caught = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: set[tuple[str, str, int]] = set()
        self._old_hooks: tuple[Callable[..., object], Callable[..., object]] | None = None
        self._caught.connect(self._on_caught)

    def watch(self) -> None:
        """Take the interpreter's hooks."""
        self._old_hooks = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception

    def release(self) -> None:
        """Give the hooks back."""
        if self._old_hooks is not None:
            sys.excepthook, threading.excepthook = self._old_hooks
            self._old_hooks = None

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_type is not SystemExit:  # a thread may end itself
            self._on_exception(args.exc_type, args.exc_value, args.exc_traceback)

    def _on_exception(
        self,
        kind: type[BaseException],
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        frames = traceback.extract_tb(trace)
        file, line = (frames[-1].filename, frames[-1].lineno or 0) if frames else ("", 0)
        place = (kind.__name__, file, line)
        if place in self._known:
            return
        self._known.add(place)
        if os.environ.get("KVVIZ_DEBUG") and sys.stderr is not None:
            traceback.print_exception(kind, error, trace)
        self._caught.emit(fault_sentence(kind, error, file, line))

    @Slot(str)
    def _on_caught(self, sentence: str) -> None:
        self.found.emit(sentence)


def fault_sentence(
    kind: type[BaseException], error: BaseException | None, file: str, line: int
) -> str:
    """Return one line for a person; an InputError already is one."""
    words = " ".join(str(error or "").split())[:LONGEST_WORDS]
    if issubclass(kind, InputError) and words:
        return words
    where = f" in {PurePath(file).name}, line {line}" if file else ""
    said = f"{kind.__name__}{where}{f': {words}' if words else ''}"
    return (
        f"A mistake in kvviz itself ({said}): runs and settings are kept; "
        "start it again if something on screen looks wrong."
    )


def _close_all() -> None:
    QApplication.closeAllWindows()
    QCoreApplication.quit()


def _nothing() -> None:
    """Give the interpreter its turn."""
