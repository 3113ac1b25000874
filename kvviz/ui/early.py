"""A start of the window, from before Qt is imported until it is shown."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def starting() -> Iterator[None]:
    """Make what is imported and built inside come sooner; Qt must not be there yet.

    The rooms without Qt come first: PySide reads the source of every module imported after it.
    The collector rests: what a start brings stays as long as the window.
    """
    gc.disable()
    try:
        import kvviz.engine.system_report
        import kvviz.session.latency_figures
        import kvviz.session.run_desk
        import kvviz.session.scene
        import kvviz.session.series
        import kvviz.trace.file  # noqa: F401

        yield
    finally:
        gc.freeze()
        gc.enable()
