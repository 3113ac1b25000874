"""The real window with preferences of nobody, driven by a bench or until a condition holds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QEventLoop, QTimer

from kvviz.session.runs import Run
from kvviz.session.settings import Settings
from kvviz.ui.app import create_application
from kvviz.ui.preferences import PreferencesFile
from kvviz.ui.start import build_window
from kvviz.ui.store import Store
from kvviz.ui.window import MainWindow

LONGEST_MS = 90_000


@contextmanager
def stage() -> Iterator[MainWindow]:
    """Give the window, not yet shown, in an application of its own; close it afterwards."""
    application = create_application(["kvviz"])
    with TemporaryDirectory() as folder:
        preferences = PreferencesFile(Path(folder) / "settings.json")
        window = build_window(application, preferences)
        # As large as it comes, whatever screen there is: a smaller one is drawn sooner.
        window.resize(preferences.values.width, preferences.values.height)
        yield window
        window.close()


def wait_until(store: Store, condition: Callable[[], bool]) -> None:
    """Run Qt's loop until a change of the store makes ``condition`` true.

    Raises TimeoutError where it does not.
    """
    loop = QEventLoop()
    too_late = QTimer(singleShot=True, interval=LONGEST_MS)
    too_late.timeout.connect(lambda: loop.exit(1))

    def look() -> None:
        if condition():
            loop.quit()

    store.changed.connect(look)
    too_late.start()
    failed = not condition() and loop.exec()
    too_late.stop()
    store.changed.disconnect(look)
    if failed:
        raise TimeoutError("the window did not come to where it was waited for")


def show_warm(window: MainWindow) -> None:
    """Show the window and let the default prompt play to its end, as fast as it goes."""
    window.store.set_pace(None)
    window.show()
    wait_until(window.store, lambda: ended(window.store))


def long_run(new_tokens: int) -> Settings:
    """Return the default settings with more to do."""
    usual = Settings()
    limit = -(-(len(usual.prompt) + new_tokens) // 64) * 64
    return replace(usual, max_new_tokens=new_tokens, max_seq_len=limit)


def play(store: Store, settings: Settings) -> Run:
    """Run ``settings`` at full speed to the end and return the run."""
    store.controls.replace_all(settings)
    store.set_pace(None)
    store.run()
    wait_until(store, lambda: ended(store))
    run = store.shown
    if run is None or run.message:
        raise RuntimeError(run.message if run else store.controls.problem)
    return run


def ended(store: Store) -> bool:
    """Whether the shown run has come to its end and the cursor with it."""
    run = store.shown
    return run is not None and not run.live and store.cursor == len(run.trace) - 1
