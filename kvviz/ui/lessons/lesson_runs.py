"""The runs that a lesson shows, made as the controls would make them."""

from collections.abc import Mapping

from kvviz.lessons.run_wish import RunWish
from kvviz.session.playback import FIRST
from kvviz.session.runs import Run, RunState
from kvviz.session.settings import Settings
from kvviz.trace.trace import Trace
from kvviz.ui.store import Store


class LessonRuns:
    """Runs by their names in a lesson, one made at a time, each once.

    ``making`` is the name of the one that is on its way.
    """

    def __init__(self, store: Store, wishes: Mapping[str, RunWish]) -> None:
        self.making: str | None = None
        self._store, self._wishes = store, wishes
        self._ids: dict[str, int] = {}
        self._turns: dict[str, int] = {}  # that a run has been asked to take
        self._before = 0  # steps that the run being made had when it was asked to go on
        self._failed: set[str] = set()
        self._asked: Settings | None = None  # what the run being made was asked for with
        self._known: set[int] = set()
        self._newest = self._newest_run  # run of the list that is ours, or was there before

    @property
    def taken_over(self) -> bool:
        """Whether there is a run, or a wish for one, that the lesson did not ask for."""
        return (self.making is not None and self._disturbed) or self._newest_run > self._newest

    def id_of(self, name: str) -> int:
        """Return the number of a run that was made."""
        return self._ids[name]

    def on_its_way(self) -> Run | None:
        """Return the run being made, None where there is none yet."""
        return self._run(self.making or "")

    def traces(self) -> dict[str, Trace]:
        """Return the traces of runs that have come to their ends, their turns taken."""
        found = {}
        for name in self._ids:
            run = self._run(name)
            taking = name == self.making  # a turn that is still to come
            if run is None or taking or run.state is not RunState.FINISHED:
                continue
            if self._turns[name] >= len(self._wishes[name].turns):
                found[name] = run.trace
        return found

    def make(self, name: str) -> None:
        """Ask for a run, or for its next turn; not again where that failed before."""
        if name in self._failed:
            return
        run = self._run(name)
        if run is not None and run.state is RunState.FINISHED:
            self._go_on(name, run)
        else:
            self._begin(name)

    def try_again(self) -> None:
        """Let what could not be made be asked for once more."""
        self._failed.clear()

    def drop(self, name: str) -> None:
        """Take a run out of the list: it is made again where it is needed."""
        self._store.remove_run(self._ids.pop(name))

    def follow(self) -> None:
        """See how far the run being made has come."""
        name = self.making
        if name is None or self._disturbed or self._store.awaits_count:
            return
        shown = self._store.shown
        if self._run(name) is None:
            if shown is None or shown.run_id in self._known:
                self._fail(name)  # stopped before it began
                return
            self._ids[name] = self._newest = shown.run_id
            self._store.seek(FIRST)
        run = self._run(name)
        if run is None or run.live:
            return
        if run.state is RunState.FINISHED and len(run.trace) > self._before:
            self.making = None
        else:
            self._fail(name)

    def _begin(self, name: str) -> None:
        store = self._store
        self.making, self._turns[name], self._before = name, 0, 0
        self._known = {run.run_id for run in store.runs.runs}
        built_in = store.models.built_in
        usual = Settings() if built_in is None else Settings().with_model(built_in)
        store.controls.replace_all(self._wishes[name].settings(usual))
        self._asked = store.controls.settings
        store.run()
        if store.controls.planned is None and not store.controls.waiting:
            self._fail(name)  # the store has said why

    def _go_on(self, name: str, run: Run) -> None:
        store, turn = self._store, self._wishes[name].turns[self._turns[name]]
        self._turns[name] += 1
        store.show_run(run.run_id)
        if store.continue_problem:  # nothing would follow
            return
        self.making, self._before = name, len(run.trace)
        self._asked = store.controls.settings
        store.continue_run(turn.max_new_tokens, turn.text)

    def _fail(self, name: str) -> None:
        self._failed.add(name)
        self.making = None

    def _run(self, name: str) -> Run | None:
        return self._store.runs.find(self._ids.get(name))

    @property
    def _disturbed(self) -> bool:
        return self._store.controls.settings != self._asked

    @property
    def _newest_run(self) -> int:
        return max((run.run_id for run in self._store.runs.runs), default=0)
