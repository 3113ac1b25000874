"""The scene with its controls: what is to be run next, changed step by step."""

from PySide6.QtCore import QObject, QTimer

from kvviz.engine.memory import free_bytes
from kvviz.session.controls import Controls
from kvviz.session.model_shelf import ModelShelf
from kvviz.session.notice import Notice
from kvviz.session.runs import Run
from kvviz.session.settings import Settings, settings_of
from kvviz.trace.config import ModelChoice
from kvviz.ui.changes import Change
from kvviz.ui.live_scene import LiveScene
from kvviz.ui.tokens import Tokens
from kvviz.ui.worker import Worker

REST_MS = 250  # a slider at rest this long starts a run


class ControlledScene(LiveScene):
    """A live scene, the settings of the next run and the models at hand."""

    def __init__(
        self,
        worker: Worker,
        settings: Settings,
        built_in: ModelChoice | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(worker, parent)
        self._tokens = Tokens(self)
        self.models = ModelShelf(built_in)
        self.controls = Controls(settings, self._tokens.prompts, free_bytes)
        self._rest = QTimer(self, interval=REST_MS, singleShot=True)
        self._said_at_run: Notice | None = None

    def change(self, control: str, value: object, settled: bool = True) -> None:
        """Set one control; where it has come to rest, the run follows."""
        self.controls.change(control, value, settled=settled)
        self._follow_settings(settled and control != "prompt")

    def apply(self, settings: Settings, said: str = "") -> None:
        """Take whole settings as one step of the history, and run them; say so when that begins."""
        self._said_at_run = Notice(said, is_error=False) if said else None
        self.controls.replace_all(settings)
        self._follow_settings()

    def use_model(self, choice: ModelChoice) -> None:
        """Run another model; one that was opened is at hand from now on."""
        self.models.add(choice)
        self._tokens.forget()
        self.apply(self.controls.settings.with_model(choice))

    def use_random_weights(self) -> None:
        """Run random weights of the shape there is."""
        self.apply(self.controls.settings.with_random_weights())

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

    def further_ids(self, text: str) -> tuple[int, ...] | None:
        """Return the ids of text that follows the shown run, None while they are counted.

        Raises InputError where it has none.
        """
        run = self.shown
        return self._tokens.further(run.config, text) if run else ()

    def text_of(self, run: Run, ids: tuple[int, ...]) -> str:
        """Return what ids of a run say; empty where its tokenizer is not at hand."""
        return self._tokens.text(run.config, ids)

    def _taken_in(self, changes: Change) -> None:
        if changes & Change.STATUS:
            self.controls.refresh()
            changes |= Change.SETTINGS
        super()._taken_in(changes)

    def _follow_settings(self, at_rest: bool = True) -> None:
        if at_rest:
            self._rest.start()
        self._say(Change.SETTINGS)

    def _take_settings_of(self, run: Run) -> None:
        """Let the controls say what is on screen, so that Run runs that again; it can be undone."""
        self._rest.stop()
        self.controls.replace_all(settings_of(run.config))
