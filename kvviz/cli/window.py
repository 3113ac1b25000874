"""``kvviz`` and ``kvviz FILE``: the window."""

import os
import sys
import threading

from kvviz.sizing.errors import InputError
from kvviz.ui.display import no_display_reason

ENDS_SOON_S = 0.2


def open_window(path: str | None, lesson: str | None = None) -> int:
    """Open the window, with a file or a lesson if one is named; return the exit code."""
    if (reason := no_display_reason()) is not None:
        raise InputError(reason)
    if sys.platform == "win32":
        # On Windows torch fails to find its libraries once Qt has loaded its own.
        import torch  # noqa: F401
    from kvviz.ui.early import starting

    with starting():
        from kvviz.ui.app import Faults, Interruptions, create_application, finish

        application = create_application(sys.argv[:1])
        from kvviz.ui.preferences import PreferencesFile
        from kvviz.ui.start import build_window

        interruptions = Interruptions(application)
        faults = Faults(application)
        window = build_window(application, PreferencesFile())
        faults.found.connect(window.store.tell)
        faults.watch()
        window.begin_with(path, None if lesson is None else (lesson, None))
        window.show()
    code = application.exec()
    finish(application)
    faults.release()
    interruptions.release()
    return leave(interruptions.code or code)


def leave(code: int) -> int:
    """Return the code; where a thread is still at work, end the process with it at once.

    It imports torch, or reads from a drive that does not answer: all is saved, so nothing is lost.
    """
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    for thread in others:
        thread.join(ENDS_SOON_S)
    if any(thread.is_alive() for thread in others):
        # An interpreter that ends under an import writes a traceback.
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        os._exit(code)
    return code
