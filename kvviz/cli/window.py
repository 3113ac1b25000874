"""``kvviz`` and ``kvviz FILE``: the window."""

import os
import sys
from typing import TYPE_CHECKING

from kvviz.sizing.errors import InputError
from kvviz.ui.display import no_display_reason

if TYPE_CHECKING:
    from kvviz.ui.worker import Worker


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
    worker = window.worker
    finish(application)
    faults.release()
    interruptions.release()
    return leave(worker, interruptions.code or code)


def leave(worker: "Worker", code: int) -> int:
    """Return the code; where torch is still being imported, end the process with it at once."""
    if worker.is_running:
        # An interpreter that ends under an import writes a traceback.
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        os._exit(code)
    return code
