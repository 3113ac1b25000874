"""The models at hand: the built-in one, and those opened while the window was there."""

from kvviz.trace.config import ModelChoice, ModelSource

MOST_OPENED = 5


class ModelShelf:
    """``built_in`` is None where it is not installed; ``opened`` has the newest first."""

    def __init__(self, built_in: ModelChoice | None = None) -> None:
        self.built_in = built_in
        self.opened: list[ModelChoice] = []

    def add(self, choice: ModelChoice) -> None:
        """Keep a model that was opened; the same path again takes the older one's place."""
        if choice.spec.source not in (ModelSource.FOLDER, ModelSource.TUTORIAL):
            return
        others = [other for other in self.opened if other.spec.path != choice.spec.path]
        self.opened = [choice, *others][:MOST_OPENED]
