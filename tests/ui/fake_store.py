"""A store made by hand: a run that was never run, everything else as the real store has it.

``FakeStore`` shows traces of ``hand_made``.  Intents change the state at once and say so; those
that need a worker are only written down in ``asked``.
"""

from dataclasses import replace
from types import SimpleNamespace

from hand_made import extend, piece_of
from PySide6.QtCore import QObject, Signal

from kvviz.session.controls import Controls
from kvviz.session.picture_maker import RowsShaded, RowsWanted
from kvviz.session.pictures import Pictures
from kvviz.session.runs import Run, RunList, RunState
from kvviz.session.scene import Scene
from kvviz.session.selection import Pointer
from kvviz.session.settings import Settings
from kvviz.session.shading import shade_rows
from kvviz.trace.step import Phase
from kvviz.trace.trace import Trace
from kvviz.ui.changes import Change


class PromptMaker:
    """Shades what is asked for at once, in the caller's thread."""

    def __init__(self) -> None:
        self._done: list[RowsShaded] = []

    def ask(self, wanted: list[RowsWanted]) -> None:
        for piece in wanted:
            rows = shade_rows(piece.trace, piece.shading, piece.start, piece.stop)
            self._done.append(RowsShaded(piece.key, piece.start, rows))

    def take(self) -> list[RowsShaded]:
        done, self._done = self._done, []
        return done


class FramesAtOnce:
    """Draws what is asked for without waiting for a turn."""

    idle = True

    def ask(self, draw):
        draw()


class FakeStore(QObject):
    """What views read of the real store, over a trace made by hand."""

    changed = Signal(object)

    def __init__(self, trace: Trace | None = None, *, cursor: int | None = None) -> None:
        super().__init__()
        self.asked: list[tuple[object, ...]] = []
        self.frames = FramesAtOnce()
        self._controls = Controls(
            Settings(),
            lambda settings: tuple(tuple(text.encode()) for text in settings.prompts),
            lambda: 2**33,
        )
        self.controls = self._controls
        self._scene = Scene(RunList(), Pictures(PromptMaker()))
        self.status = SimpleNamespace(
            ready=True, devices=("cpu",), torch_version="2.13", num_threads=1, free_bytes=2**33
        )
        self.notice = None
        self.heads = None
        self.pool_bytes = 0
        if trace is not None:
            self.show_trace(trace, cursor)

    def show_trace(
        self, trace: Trace, cursor: int | None = None, state: RunState = RunState.FINISHED
    ) -> Run:
        """Add a run of ``trace`` and show it at ``cursor``, its end by default."""
        config = trace.config
        pieces = tuple(piece_of(place) for place in range(len(config.prompt_ids)))
        planned = len(config.prompt_ids) + config.max_new_tokens
        run = Run(self.runs.new_id(), trace, pieces, planned, state)
        self.runs.add(run)
        self.runs.shown_id = run.run_id
        self.playback.seek(len(trace) - 1 if cursor is None else cursor, len(trace))
        self._scene.look_at(run)
        self.pictures.collect()
        self.changed.emit(Change.ALL)
        return run

    def add_reference(self, trace: Trace) -> Run:
        """Add a run of ``trace`` that is the reference and is not shown."""
        shown = self.runs.shown_id
        planned = len(trace.config.prompt_ids) + trace.config.max_new_tokens
        run = Run(self.runs.new_id(), trace, self.prompt_pieces, planned, RunState.FINISHED)
        self.runs.add(run)
        self.runs.shown_id, self.runs.reference_id = shown, run.run_id
        self.changed.emit(Change.RUNS)
        return run

    def grow(self, steps: int = 1) -> None:
        """Append decode steps to the shown run and go to its new end, as playing does."""
        trace = self.trace
        extend(trace, [(Phase.DECODE, 1, True)] * steps, seed=11)
        self.pictures.follow()
        self.pictures.order()
        self.pictures.collect()
        self.playback.seek(len(trace) - 1, len(trace))
        self.changed.emit(Change.STEPS | Change.CURSOR | Change.PICTURE)

    # Read by views

    def __getattr__(self, name):
        # Only what is not found otherwise: the scene's and the controls' own state.
        if name.startswith("_"):
            raise AttributeError(name)
        if hasattr(Scene, name) or name in vars(self._scene):
            return getattr(self._scene, name)
        return getattr(self._controls, name)

    # Intents

    def change(self, control, value, settled=True):
        self.asked.append(("change", control, value, settled))
        self._controls.change(control, value, settled=settled)
        self.changed.emit(Change.SETTINGS)

    def undo(self):
        self._controls.undo()
        self.changed.emit(Change.SETTINGS)

    def redo(self):
        self._controls.redo()
        self.changed.emit(Change.SETTINGS)

    def run(self):
        self.asked.append(("run",))

    def stop(self):
        self.asked.append(("stop",))

    def continue_run(self, max_new_tokens, text=""):
        self.asked.append(("continue_run", max_new_tokens, text))

    def prove(self):
        self.asked.append(("prove",))

    def toggle_play(self):
        run = self.shown
        if self.playback.playing:
            self.playback.pause()
        else:
            self.playback.play(len(run.trace), run.live)
        self.changed.emit(Change.CURSOR)

    def step_by(self, count):
        self.playback.step(count, len(self.trace), self.shown.live)
        self.changed.emit(Change.CURSOR)

    def seek(self, index):
        self.asked.append(("seek", index))
        self.playback.seek(index, len(self.trace))
        self.changed.emit(Change.CURSOR)

    def set_pace(self, pace):
        self.playback.set_pace(pace)
        self.changed.emit(Change.CURSOR)

    def select(self, **changes):
        self._scene.set_selection(replace(self.selection, **changes))
        self.pictures.collect()
        self.changed.emit(Change.SELECTION | Change.PICTURE)

    def point(self, pointer: Pointer):
        if pointer != self.pointer:
            self._scene.pointer = pointer
            self.changed.emit(Change.POINTER)

    def move_cell(self, down, right):
        self._scene.move_cell(down, right)
        self.changed.emit(Change.SELECTION)

    def show_run(self, run_id):
        self.runs.shown_id = run_id
        self._scene.look_at(self.shown)
        self.pictures.collect()
        self.changed.emit(Change.ALL)

    def set_reference(self, run_id):
        self.runs.reference_id = run_id
        self.changed.emit(Change.RUNS)

    def remove_run(self, run_id):
        self.runs.remove(run_id)
        self.changed.emit(Change.ALL)

    def open_path(self, path):
        self.asked.append(("open_path", path))

    def save_trace(self, path):
        self.asked.append(("save_trace", path))

    def dismiss_notice(self):
        self.notice = None
        self.changed.emit(Change.NOTICE)
