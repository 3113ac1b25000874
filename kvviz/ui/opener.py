"""What a path turned out to be, put on screen once whatever it leaves open has been asked."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Union

from kvviz.model.tutorial_weights import possible_shapes
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec
from kvviz.trace.file import is_trace, load_trace
from kvviz.trace.trace import Trace
from kvviz.ui.dialogs import Dialogs
from kvviz.ui.heads_dialog import likely_heads
from kvviz.ui.store import Store

if TYPE_CHECKING:
    from kvviz.engine.folder import ModelFolder


@dataclass(frozen=True, slots=True)
class Weights:
    """A file of tutorial weights and the shapes it can have, by number of heads."""

    path: str
    shapes: dict[int, ModelShape]


Found = Union[Trace, Weights, "ModelFolder"]


class Opener:
    """Shows a run, or runs a model."""

    def __init__(self, store: Store, dialogs: Dialogs) -> None:
        self._store = store
        self._dialogs = dialogs

    def take(self, found: Found) -> None:
        """Put on screen what was read."""
        if isinstance(found, Trace):
            self._store.dismiss_notice()
            self._store.adopt(found)
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
        if notes:
            self._store.tell(" ".join(notes), is_error=False)


def read_path(path: str) -> Found:
    """Return the run in a file, the tutorial's weights, or the model in a folder.

    One of a folder's own files stands for the folder.  Raises InputError, one sentence, for the
    rest.
    """
    # A hundred families of models are nothing that the first paint should wait for.
    from kvviz.engine.folder import folder_of, open_folder

    path = os.path.abspath(path)
    in_folder = folder_of(path) is not None
    if in_folder and not (path.endswith(".safetensors") and is_trace(path)):
        return open_folder(path)
    if is_trace(path):
        return load_trace(path)
    return Weights(path, possible_shapes(path))
