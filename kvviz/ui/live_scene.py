"""The scene as it lives: events come in, turns are taken, ``changed`` goes out."""

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from kvviz.session.notice import Notice
from kvviz.session.picture_maker import PictureMaker
from kvviz.session.pictures import Pictures
from kvviz.session.run_desk import RunDesk
from kvviz.session.scene import Scene
from kvviz.session.selection import Pointer
from kvviz.trace.head_kinds import HeadKind, HeadScores
from kvviz.ui.changes import Change
from kvviz.ui.frames import Frames
from kvviz.ui.intake import Intake
from kvviz.ui.turns import Turns
from kvviz.ui.worker import Worker, WorkerStatus

PIECES_AT_ONCE = 3  # of shaded rows, put in place


class LiveScene(Scene, QObject):
    """A scene whose runs grow, and the intents that move cursor, selection and pointer."""

    changed = Signal(object)

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        QObject.__init__(self, parent)
        self._desk = RunDesk(worker)
        self._maker = PictureMaker()
        Scene.__init__(self, self._desk.runs, Pictures(self._maker))
        self._intake = Intake(worker, self._desk)
        self.notice: Notice | None = None
        self._pending = Change.NONE
        self._drained = False
        self._has_grown = False
        self._seeks_pattern = False
        self.frames = Frames(self)
        self.frames.finished.connect(self._end_turn)
        self._turns = Turns(self._desk, self)
        self._turns.due.connect(self._on_due)
        worker.waiting.connect(self._turns.wake)

    @property
    def status(self) -> WorkerStatus:
        """What the worker said of itself."""
        return self._intake.status

    @property
    def pool_bytes(self) -> int:
        """Bytes of the pool that runs share, measured; 0 where there is none."""
        return self._intake.pool_bytes

    @property
    def heads(self) -> HeadScores | None:
        """What the shown model's heads were measured to look at, None where they were not."""
        run = self.shown
        return self._intake.heads_of(run.config.model) if run else None

    def seek_pattern(self) -> None:
        """Look at the most telling head as soon as heads are measured, unless a person looks."""
        self._seeks_pattern = True

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
        self._seeks_pattern &= not {"layer", "head"} & set(changes)
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

    def _taken_in(self, changes: Change) -> None:
        """Follow what the worker said."""
        self._pending |= changes
        if self._seeks_pattern and (scores := self.heads) is not None:
            self._seeks_pattern = False
            found = (scores.strongest(kind) for kind in HeadKind)
            layer, head = next((place for place in found if place is not None), (0, 0))
            self.set_selection(replace(self.selection, layer=layer, head=head))
            self._pending |= Change.SELECTION

    @Slot()
    def _on_due(self) -> None:
        # Filing, taking rows, drawing: a round of the event loop each, so nothing waits for all.
        self._drained |= (drained := self._take_in())
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
            self._has_grown = True
        self._say(Change.NONE)
        if self.frames.idle:
            self._end_turn()

    @Slot()
    def _end_turn(self) -> None:
        again = self._drained or self.playback.playing or not self.pictures.complete
        if self._has_grown:  # not before: shading would hold up the drawing
            self.pictures.order()
        self._drained = self._has_grown = False
        self._turns.end(self.playback.credit, again=again)

    def _take_in(self) -> bool:
        intake = self._intake
        drained = intake.drain()
        if intake.news is not None:
            self.notice = intake.news
        changes, intake.changes, intake.news = intake.changes, Change.NONE, None
        self._taken_in(changes)
        return drained

    def _moved(self) -> None:
        self._turns.wake()
        self._say(Change.CURSOR)

    def _say(self, changes: Change) -> None:
        changes |= self._pending
        self._pending = Change.NONE
        if changes:
            self.changed.emit(changes)
