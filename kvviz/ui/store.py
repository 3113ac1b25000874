"""The state of the playground with a voice: intents in, ``changed`` out."""

from dataclasses import replace
from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from kvviz.engine.memory import free_bytes
from kvviz.engine.tokenizer import ByteTokenizer
from kvviz.session.controls import Controls
from kvviz.session.notice import Notice
from kvviz.session.picture_maker import PictureMaker
from kvviz.session.pictures import Pictures
from kvviz.session.run_desk import RunDesk
from kvviz.session.runs import Run
from kvviz.session.scene import Scene, counterpart
from kvviz.session.selection import Pointer
from kvviz.session.settings import Settings, settings_of
from kvviz.sizing.errors import InputError
from kvviz.trace.messages import Event, RunFailed, StepFinished, WorkerReady
from kvviz.trace.trace import Trace
from kvviz.ui.changes import Change
from kvviz.ui.frames import Frames
from kvviz.ui.turns import Turns
from kvviz.ui.worker import Worker, WorkerStatus

REST_MS = 250  # a slider at rest this long starts a run
EVENTS_AT_ONCE, PIECES_AT_ONCE = 32, 3  # steps filed, pieces of shaded rows put in place
DRAIN_S = 0.008  # filing events takes no longer than this in one tick


class Store(Scene, QObject):
    """The scene and the controls; views read them on ``changed`` and call the intents."""

    changed = Signal(object)

    def __init__(self, worker: Worker, settings: Settings, parent: QObject | None = None) -> None:
        QObject.__init__(self, parent)
        self._worker = worker
        self._desk = RunDesk(worker)
        self._maker = PictureMaker()
        Scene.__init__(self, self._desk.runs, Pictures(self._maker))
        self._tokenizer = ByteTokenizer()
        self.controls = Controls(settings, self._tokenizer.encode, free_bytes)
        self.status = WorkerStatus()
        self.notice: Notice | None = None
        self._pending = Change.NONE
        self._drained = False
        self.frames = Frames(self)
        self.frames.finished.connect(self._end_turn)
        self._turns = Turns(self._desk, self)
        self._turns.due.connect(self._on_due)
        self._rest = QTimer(self, interval=REST_MS, singleShot=True)
        self._rest.timeout.connect(self.run)
        worker.waiting.connect(self._turns.wake)

    def change(self, control: str, value: object, settled: bool = True) -> None:
        """Set one control; where it has come to rest, the run follows."""
        self.controls.change(control, value, settled=settled)
        self._follow_settings(settled and control != "prompt")

    def apply(self, settings: Settings) -> None:
        """Take whole settings as one step of the history, and run them."""
        self.controls.replace_all(settings)
        self._follow_settings()

    def fit_limit(self) -> None:
        """Raise the sequence limit to what prompt and new tokens need, and run."""
        self.controls.fit_limit()
        self._follow_settings()

    def undo(self) -> None:
        """Bring the previous settings back and run them."""
        self._follow_settings(self.controls.undo())

    def redo(self) -> None:
        """Bring undone settings back and run them."""
        self._follow_settings(self.controls.redo())

    @Slot()
    def run(self) -> None:
        """Start what the controls ask for; the run before stays in the list."""
        self._rest.stop()
        self.controls.refresh()
        config = self.controls.planned
        if config is None:
            self.tell(self.controls.problem)
            return
        pieces = tuple(self._tokenizer.piece(token_id) for token_id in config.prompt_ids)
        run = self._desk.start(config, pieces, show=True)
        self.playback.begin()
        self.notice = None
        self.look_at(run)
        self._turns.wake()
        self._say(Change.ALL)

    def stop(self) -> None:
        """End the run in progress; what it recorded stays."""
        self._desk.cancel_live()

    def continue_run(self, max_new_tokens: int, text: str = "") -> None:
        """Go on with the shown run: more tokens, or more text first."""
        run = self.shown
        if run is None or self.continue_problem:
            self.tell(self.continue_problem)
            return
        try:
            self._desk.go_on(run, max_new_tokens, self._tokenizer.encode(text))
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
        if (run := self.runs.find(run_id)) is None or run is self.shown:
            return
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
            self.pictures.clear()
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

    # Intents: cursor and selection

    def toggle_play(self) -> None:
        """Play or pause."""
        if (run := self.shown) is None:
            return
        if self.playback.playing:
            self.playback.pause()
        else:
            self.playback.play(len(run.trace), run.live)
        self._moved()

    def step_by(self, count: int) -> None:
        """Move the cursor; one past the end asks a live run for one more step."""
        if (run := self.shown) is not None:
            self.playback.step(count, len(run.trace), run.live)
            self._moved()

    def seek(self, index: int) -> None:
        """Put the cursor on a recorded step, -1 for before the first."""
        if (run := self.shown) is not None:
            self.playback.seek(index, len(run.trace))
            self._moved()

    def set_pace(self, pace: float | None) -> None:
        """Set steps per second; None is as fast as the machine goes."""
        self.playback.set_pace(pace)
        self._moved()

    def select(self, **changes: object) -> None:
        """Change fields of the selection: layer, head, mode, brightness, scale, sink, cell."""
        self.set_selection(replace(self.selection, **changes))  # type: ignore[arg-type]
        self._turns.wake()
        self._say(Change.SELECTION)

    def point(self, pointer: Pointer) -> None:
        """Say what the mouse is over."""
        if pointer != self.pointer:
            self.pointer = pointer
            self._say(Change.POINTER)

    def move_cell(self, down: int, right: int) -> None:
        """Move the cell cursor over the rows computed so far."""
        super().move_cell(down, right)
        self._say(Change.SELECTION)

    def tell(self, text: str, *, is_error: bool = True) -> None:
        """Put one sentence on screen."""
        self.notice = Notice(text, is_error)
        self._say(Change.NOTICE)

    def dismiss_notice(self) -> None:
        """Take the notice away."""
        self.notice = None
        self._say(Change.NOTICE)

    def shut_down(self) -> None:
        """End timers and threads."""
        self._turns.stop()
        self._rest.stop()
        self.frames.stop()
        self._desk.cancel_live()
        self._worker.shut_down()
        self._maker.stop()

    def _follow_settings(self, at_rest: bool = True) -> None:
        if at_rest:
            self._rest.start()
        self._say(Change.SETTINGS)

    @Slot()
    def _on_due(self) -> None:
        # Filing, taking rows, drawing: a round of the event loop each, so nothing waits for all.
        self._drained |= (drained := self._drain(perf_counter() + DRAIN_S))
        if self.pictures.collect(0 if drained else PIECES_AT_ONCE):
            self._pending |= Change.PICTURE
        if drained or self.pictures.waiting:
            self._turns.go_on()
            return
        run = self.shown
        length, live = (len(run.trace), run.live) if run else (0, False)
        if self.playback.tick(self._turns.elapsed_s(), length, live):
            self._pending |= Change.CURSOR
        if self._pending & Change.STEPS:
            self.pictures.follow()
        self._say(Change.NONE)
        if self.frames.idle:
            self._end_turn()

    @Slot()
    def _end_turn(self) -> None:
        again = self._drained or self.playback.playing or not self.pictures.complete
        self._drained = False
        self._turns.end(self.playback.credit, again=again)

    def _drain(self, deadline: float) -> bool:
        any_drained = False
        while perf_counter() < deadline and (events := self._worker.drain(EVENTS_AT_ONCE)):
            any_drained = True
            for event in events:
                self._take(event)
        return any_drained

    def _take(self, event: Event) -> None:
        if isinstance(event, WorkerReady):
            self.status = WorkerStatus(True, event.devices, event.torch_version, event.num_threads)
            self.controls.refresh()
            self._pending |= Change.STATUS | Change.SETTINGS
            return
        if (run := self._desk.file(event)) is None:
            return
        if isinstance(event, StepFinished):
            self._pending |= Change.STEPS if run is self.shown else Change.RUNS
            return
        self._pending |= Change.RUNS
        if isinstance(event, RunFailed):
            self.notice = Notice(event.message)
            self._pending |= Change.NOTICE

    def _bring_up(self, run: Run) -> None:
        self.playback.seek(len(run.trace) - 1, len(run.trace))
        self._take_settings_of(run)
        self.look_at(run)

    def _take_settings_of(self, run: Run) -> None:
        """Let the controls say what is on screen, so that Run runs that again; it can be undone."""
        self._rest.stop()
        self.controls.replace_all(settings_of(run.config, self.controls.settings.prompt))

    def _moved(self) -> None:
        self._turns.wake()
        self._say(Change.CURSOR)

    def _say(self, changes: Change) -> None:
        changes |= self._pending
        self._pending = Change.NONE
        if changes:
            self.changed.emit(changes)
