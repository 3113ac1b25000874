"""What a path turned out to be, put on screen once whatever it leaves open has been asked."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec
from kvviz.trace.trace import Trace
from kvviz.ui.dialogs import Dialogs
from kvviz.ui.found import Config, Found, Weights
from kvviz.ui.heads_dialog import likely_heads
from kvviz.ui.store import Store

if TYPE_CHECKING:
    from kvviz.engine.folder import ModelFolder
    from kvviz.session.calculator.model import SizedModel


class Opener:
    """Shows a run, runs a model, or hands a config to ``size``; ``shown`` follows the first two."""

    def __init__(
        self,
        store: Store,
        dialogs: Dialogs,
        size: "Callable[[SizedModel], None]",
        shown: Callable[[], None],
    ) -> None:
        self._store = store
        self._dialogs = dialogs
        self._size = size
        self._shown = shown

    def take(self, found: Found) -> None:
        """Put on screen what was read."""
        if isinstance(found, Trace):
            self._store.dismiss_notice()
            self._store.adopt(found)
            self._shown()
        elif isinstance(found, Config):
            self._store.dismiss_notice()
            self._size(found.model)
        elif isinstance(found, Weights):
            self._ask_heads(found)
        elif found.has_tokenizer:
            self._use(found.choice, found.notes)
        else:
            self._ask_text(found)

    def _ask_heads(self, weights: Weights) -> None:
        def use(heads: int) -> None:
            spec = ModelSpec(weights.shapes[heads], ModelSource.TUTORIAL, path=weights.path)
            self._use(ModelChoice(spec))

        if len(weights.shapes) == 1:
            use(next(iter(weights.shapes)))
            return
        name, likely = Path(weights.path).name, likely_heads(weights.shapes)
        self._dialogs.ask_heads(name, weights.shapes, likely, use)

    def _ask_text(self, folder: "ModelFolder") -> None:
        def use(as_bytes: bool) -> None:
            self._use(folder.with_bytes() if as_bytes else folder.choice, folder.notes)

        self._dialogs.ask_text(folder.choice.spec.name, folder.can_take_bytes, use)

    def _use(self, choice: ModelChoice, notes: tuple[str, ...] = ()) -> None:
        self._store.dismiss_notice()
        self._store.use_model(choice)
        self._shown()
        if notes:
            self._store.tell(" ".join(notes), is_error=False)
