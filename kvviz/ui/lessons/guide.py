"""Leads through a lesson: asks for its runs, moves the cursor, says what is to be seen."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from kvviz.lessons.lesson import Lesson
from kvviz.lessons.player import Choice, Player, choices
from kvviz.lessons.stage import Stage
from kvviz.session.playback import FIRST
from kvviz.ui.changes import Change
from kvviz.ui.lessons.lesson_runs import LessonRuns
from kvviz.ui.lessons.motion import Motion
from kvviz.ui.store import Store

ON_ITS_WAY = "The run is on its way."
NOT_MADE = "The run for this step could not be made."
ENDED_EARLY = "This run ended before it came to this step."
PLAYS_ON = "The lesson's run was not at its end: it plays on in the playground. Space pauses it."


class Guide(QObject):
    """One lesson at a time; ``changed`` when there is something else to say or to show.

    ``taken_over`` says that a run is there which the lesson did not ask for: a file that was
    opened, another model.  Whatever is on screen is a function of lesson, step and recorded runs:
    going back, or to a step from anywhere, shows the same.  Runs are computed ahead of the cursor,
    once each.
    """

    changed = Signal()
    ended = Signal()
    taken_over = Signal()

    def __init__(
        self,
        store: Store,
        reduced_motion: Callable[[], bool] = lambda: False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._reduced_motion = reduced_motion
        self.player: Player | None = None
        self._runs = LessonRuns(store, {})
        self._shown: int | None = None  # the step that is set up on screen
        self._forward = True
        self._left: tuple[str, int] | None = None  # the run and the cursor of the step before
        self._motion = Motion(self)
        self._motion.moved.connect(self._on_moved)
        self._motion.rested.connect(self._on_rested)
        store.changed.connect(self._on_changed)

    # What is to be seen

    @property
    def active(self) -> bool:
        """Whether a lesson is going on."""
        return self.player is not None

    @property
    def resting(self) -> bool:
        """Whether the step is on screen and nothing moves."""
        return self.active and self._shown is not None and not self.moving

    @property
    def moving(self) -> bool:
        """Whether the cursor is still on its way: ``go_on`` then ends that first."""
        return self._motion.moving

    def stage(self) -> Stage | None:
        """Return what the step shows; its moment is None while its runs are on their way."""
        return self.player.stage(self._runs.traces()) if self.player is not None else None

    @property
    def waits_for(self) -> str:
        """What the step's figures wait for, in words; empty where they are there."""
        stage, run = self.stage(), self._runs.on_its_way()
        if stage is None or stage.moment is not None:
            return ""
        if self._runs.making is None:
            return ENDED_EARLY if self.resting else NOT_MADE
        if run is None or not len(run.trace):
            return ON_ITS_WAY
        return f"{ON_ITS_WAY[:-1]}: {run.trace.seq_len:,} of {run.planned_tokens:,} tokens."

    def choices(self) -> list[Choice]:
        """Return the answers to the question shown; none while its runs are on their way."""
        stage = self.stage()
        if self.player is None or stage is None or stage.moment is None:
            return []
        question = self.player.step.question
        return choices(question, stage.moment) if question is not None else []

    # What a person does

    def open(self, lesson: Lesson, index: int = 0) -> None:
        """Begin a lesson at a step."""
        self._motion.stop()
        self.player = Player(lesson, index)
        self._runs = LessonRuns(self._store, lesson.runs)
        self._shown = self._left = None
        self._store.playback.ahead = True
        self._enter(forward=True)

    @Slot()
    def go_on(self) -> None:
        """Show the next step; what still moves comes to its end first."""
        if self.player is None:
            return
        if self.moving:
            self._motion.finish()
        elif self.player.go_on():
            self._enter(forward=True)
        elif self._runs.making is None:  # the last step is not done before it was seen
            self.ended.emit()

    @Slot()
    def go_back(self) -> None:
        """Show the step before as it was."""
        if self.player is not None and self.player.go_back():
            self._enter(forward=False)

    @Slot()
    def restart(self) -> None:
        """Begin the lesson again, with the runs that are there."""
        if self.player is not None:
            self.player.restart()
            self._enter(forward=False)

    def answer(self, text: str) -> None:
        """Take an answer."""
        if self.player is not None:
            self.player.answer(text)
            self.changed.emit()

    @Slot()
    def leave(self) -> None:
        """End the lesson; its runs stay to play with, and one that is being made plays on."""
        if self.player is None:
            return
        store, run = self._store, self._runs.on_its_way()
        self._motion.stop()
        self.player = None
        store.playback.ahead = False
        self.changed.emit()
        if run is not None and run.live and run is store.shown:
            if not store.playback.playing:
                store.toggle_play()
            store.tell(PLAYS_ON, is_error=False)

    # How it is done

    def _enter(self, *, forward: bool) -> None:
        self._motion.stop()
        left, self._shown, self._forward = self._shown, None, forward
        self._runs.try_again()
        if self.player is not None and left is not None:
            scenery = self.player.lesson.steps[left].scenery
            if scenery.releases:  # any other step shows this run with its cache: it is made again
                self._runs.drop(scenery.run)
        self._set_up()
        self.changed.emit()

    def _set_up(self) -> None:
        """Make what runs are missing, then show the step; called again whenever one has ended."""
        player, runs = self.player, self._runs
        if player is None or self._shown == player.index or runs.making is not None:
            return
        traces = runs.traces()
        missing = [name for name in player.lesson.needed(player.index) if name not in traces]
        if missing:
            runs.make(missing[0])
            return
        self._shown = player.index
        self._show(player.stage(traces))

    def _show(self, stage: Stage) -> None:
        store, scenery = self._store, stage.scenery
        run_id = self._runs.id_of(scenery.run)
        reference = self._runs.id_of(scenery.reference) if scenery.reference else None
        if store.runs.reference_id != reference:
            store.set_reference(reference)
        start = self._left[1] if self._left and self._left[0] == scenery.run else FIRST
        store.show_run(run_id)
        selection = stage.selection
        store.select(
            layer=selection.layer,
            head=selection.head,
            mode=selection.mode,
            counted=selection.counted,
            cell=None,
        )
        target = FIRST if stage.cursor is None else stage.cursor
        if not self._forward or self._reduced_motion() or target <= start:
            start = target
        store.seek(start)
        self._left = (scenery.run, target)
        self._motion.begin(start, target)

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if self.player is None or not changes & (Change.RUNS | Change.STEPS | Change.SETTINGS):
            return
        making = self._runs.making
        self._runs.follow()
        if self._runs.taken_over:
            self.taken_over.emit()
        elif self._runs.making is None and self._shown is None:
            self._set_up()
            self.changed.emit()
        elif making is not None:
            self.changed.emit()

    @Slot(int)
    def _on_moved(self, index: int) -> None:
        self._store.seek(index)

    @Slot()
    def _on_rested(self) -> None:
        stage = self.stage()
        if stage is not None and stage.selection.cell is not None:
            self._store.select(cell=stage.selection.cell)
        if stage is not None and stage.scenery.releases:
            self._store.release_run(self._runs.id_of(stage.scenery.run))
        self.changed.emit()
