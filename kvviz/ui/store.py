"""The state of the playground with a voice: intents in, ``changed`` out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Slot

from kvviz.session.layout_choice import base_config, compared_configs
from kvviz.session.notice import Notice
from kvviz.session.runs import Run
from kvviz.session.scene import counterpart
from kvviz.session.settings import Settings
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import CacheLayout
from kvviz.trace.config import ModelChoice
from kvviz.trace.trace import Trace
from kvviz.ui.changes import Change
from kvviz.ui.controlled_scene import ControlledScene
from kvviz.ui.worker import Worker

HELD = "The comparison goes on with the settings it began with; yours stay for the next run."


class Store(ControlledScene):
    """The scene, its controls and its runs; views read them and call the intents."""

    def __init__(
        self,
        worker: Worker,
        settings: Settings,
        built_in: ModelChoice | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(worker, settings, built_in, parent)
        self._worker = worker
        self._tokens.counted.connect(self._on_counted)
        self._once_counted: Callable[[], None] | None = None
        self._rest.timeout.connect(self._run_at_rest)

    @property
    def awaits_count(self) -> bool:
        """Whether a run, or its going on, begins as soon as its tokens are counted."""
        return self._once_counted is not None

    def start(self) -> None:
        """Start what the first paint must not wait for; the worker last, it loads libraries."""
        self._tokens.start()
        self._worker.start()

    def shut_down(self) -> None:
        """End timers and threads."""
        self._turns.stop()
        self._rest.stop()
        self.frames.stop()
        self._desk.cancel_live()
        self._tokens.stop()
        self._worker.shut_down()
        self._maker.stop()

    @Slot()
    def run(self) -> None:
        """Start what the controls ask for; the run before stays in the list."""
        self._rest.stop()
        self.controls.refresh()
        self._once_counted = self.run if self.controls.waiting else None
        if self.controls.waiting:
            return
        said, self._said_at_run = self._said_at_run, None
        config = self.controls.planned
        if config is None:
            self.tell(self.controls.problem)
            return
        run = self._desk.start(config, self._tokens.pieces(config), show=True)
        self.playback.begin()
        self.notice = said
        self.look_at(run)
        self._turns.wake()
        self._say(Change.ALL)

    def run_saying(self, problem: str) -> None:
        """Run what the controls ask for, and say ``problem`` when it begins, "" for none."""
        self._said_at_run = Notice(problem) if problem else None
        self.run()

    def stop(self) -> None:
        """End the run in progress, its comparison, and what is about to run; the rest stays."""
        self._rest.stop()
        self._once_counted = None
        self._desk.cancel_live()
        self._say(Change.RUNS)

    def compare(self, layouts: Sequence[CacheLayout]) -> None:
        """Run what the controls ask for with each layout, the first being the reference."""
        self._rest.stop()
        self.controls.refresh()
        try:
            base = base_config(self.controls)
            configs = compared_configs(base, layouts, self.controls.free)
        except InputError as error:
            self.tell(str(error))
            return
        self.playback.pause()
        self._desk.compare(configs, self._tokens.pieces(base))
        self.notice = None
        self._turns.wake()
        self._say(Change.ALL)

    def show_comparison(self, set_id: int | None) -> None:
        """Put the table of a comparison in the grid's place, or the grid back with None."""
        self.runs.compared_id = set_id
        self._show_compared()
        self._turns.wake()
        self._say(Change.ALL)

    def release_run(self, run_id: int) -> None:
        """Give back what a finished run's cache holds; what it did stays on screen."""
        if (run := self.runs.find(run_id)) is not None:
            self._desk.release(run)
            self._turns.wake()
            self._say(Change.RUNS)

    def drop_pool(self) -> None:
        """Give back the pool that runs share."""
        if self.runs.live is not None:
            self.tell("Wait until the run has ended: it may use the pool.")
            return
        self._desk.drop_pool()
        self._turns.wake()
        self._say(Change.RUNS)

    def continue_run(self, max_new_tokens: int, text: str = "") -> None:
        """Go on with the shown run: more tokens, or more text first."""
        run = self.shown
        if run is None or self.continue_problem:
            self.tell(self.continue_problem)
            return
        try:
            text_ids = self.further_ids(text)
            if text_ids is None:
                self._once_counted = partial(self.continue_run, max_new_tokens, text)
                return
            self._desk.go_on(run, max_new_tokens, text_ids)
        except InputError as error:
            self.tell(str(error))
            return
        self.playback.seek(len(run.trace) - 1, len(run.trace))
        self.playback.play(len(run.trace), live=True)
        self.refresh_pictures()
        self._turns.wake()
        self._say(Change.ALL)

    def prove(self) -> None:
        """Run the shown prompt without a cache (or with one, if it had none) as the reference."""
        run = self.shown
        if run is None or self.prove_problem:
            self.tell(self.prove_problem)
            return
        reference = self._desk.start(counterpart(run), run.prompt_pieces, show=False)
        self.runs.reference_id = reference.run_id
        self._turns.wake()
        self._say(Change.RUNS)

    def show_run(self, run_id: int) -> None:
        """Put a run of the list on screen, at its end."""
        if (run := self.runs.find(run_id)) is None:
            return
        if run.set_id != self.runs.compared_id:
            self.runs.compared_id = None
        elif run is self.shown:
            return
        if run is not self.shown:
            self.runs.shown_id = run_id
            self._bring_up(run)
        self._turns.wake()
        self._say(Change.ALL)

    def set_reference(self, run_id: int | None) -> None:
        """Draw a run as a ghost in every chart."""
        self.runs.reference_id = run_id
        self._say(Change.RUNS)

    def remove_run(self, run_id: int) -> None:
        """Drop a run from the list; a live one is ended."""
        before = self.shown
        self._desk.remove(run_id)
        if (run := self.shown) is None:
            self.set_selection(replace(self.selection, layer=0, head=0, cell=None))
        elif run is not before:
            self._bring_up(run)
        self._turns.wake()
        self._say(Change.ALL)

    def adopt(self, trace: Trace) -> None:
        """Show a trace read from a file, from its beginning."""
        run = self._desk.adopt(trace)
        self._take_settings_of(run)
        self.playback.begin()
        self.look_at(run)
        self._turns.wake()
        self._say(Change.ALL)

    def _taken_in(self, changes: Change) -> None:
        super()._taken_in(changes)
        if changes & Change.RUNS:
            self._show_compared()

    def _show_compared(self) -> None:
        """Let what stands round a comparison's table be of one of its runs, once one has ended."""
        compared = self.runs.compared
        ended = (run for run in compared if not run.live and len(run.trace))
        if self.shown in compared or (run := next(ended, None)) is None:
            return
        self.runs.shown_id = run.run_id
        self.playback.seek(len(run.trace) - 1, len(run.trace))
        self.look_at(run)
        self._pending |= Change.ALL

    @Slot()
    def _run_at_rest(self) -> None:
        if self.runs.comparing:
            self.tell(HELD, is_error=False)
        else:
            self.run()

    @Slot()
    def _on_counted(self) -> None:
        self.controls.refresh()
        self._say(Change.SETTINGS)
        if (act := self._once_counted) is not None:
            self._once_counted = None
            act()

    def _bring_up(self, run: Run) -> None:
        self.playback.seek(len(run.trace) - 1, len(run.trace))
        self._take_settings_of(run)
        self.look_at(run)
