"""How far a load has come, told now and then."""

from collections.abc import Callable
from time import perf_counter_ns

from kvviz.engine.load_watch import LoadWatch
from kvviz.trace.messages import ModelLoading

PAUSE_NS = 50_000_000  # between two of the messages; a load that takes less has none


class LoadNews(LoadWatch):
    """Posts how far a run's load has come and collects warnings; ``check`` may raise to stop it."""

    def __init__(
        self,
        run_id: int,
        check: Callable[[], None],
        post: Callable[[ModelLoading], None],
        clock: Callable[[], int] = perf_counter_ns,
    ) -> None:
        self.warnings: tuple[str, ...] = ()
        self._run_id = run_id
        self._check = check
        self._post = post
        self._clock = clock
        self._told = clock()

    def progress(self, done: int, total: int) -> None:
        """Post it, unless that was done a moment ago or nothing is being read."""
        self._check()
        now = self._clock()
        if done and now - self._told >= PAUSE_NS:
            self._told = now
            self._post(ModelLoading(self._run_id, done, total))

    def warn(self, sentence: str) -> None:
        """Keep it."""
        self.warnings += (sentence,)
