"""Progress on a terminal, and only there."""

import contextlib
import sys
from collections.abc import Callable, Iterator

Report = Callable[[int], None]


@contextlib.contextmanager
def progress(what: str, total: int) -> Iterator[Report]:
    """Show how far something long has come; call the result with how many of ``total`` are done.

    It goes to stderr, and nowhere if that is not a terminal; nothing of it stays there.
    """
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=total)
        yield lambda done: bars.update(task, completed=done)


@contextlib.contextmanager
def bytes_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show how much of something large has been read; call the result with bytes done and in all.

    It goes where ``progress`` goes.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(binary_units=True))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)
