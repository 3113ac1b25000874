"""A start of the window, from before Qt is imported until it is shown."""

import gc
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def starting() -> Iterator[None]:
    """Make what is imported and built inside come sooner; Qt must not be there yet.

    The rooms without Qt come first: PySide reads the source of every module imported after it.
    The collector rests: what a start brings stays as long as the window.  Ctrl+C ends the process
    at once: as an exception it would come out of an import of PySide, which crashes then or goes
    on with half of its names.
    """
    gc.disable()
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        import kvviz.engine.system_report
        import kvviz.session.latency_figures
        import kvviz.session.run_desk
        import kvviz.session.scene
        import kvviz.session.series
        import kvviz.trace.file  # noqa: F401

        yield
    finally:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # nobody took it meanwhile
            signal.signal(signal.SIGINT, before)
        gc.freeze()
        gc.enable()
