"""Settings that can be had back."""

from typing import Generic, TypeVar

MOST_STEPS = 50
State = TypeVar("State")


class History(Generic[State]):
    """Undo and redo of settings; changes of the same control in a row are one step."""

    def __init__(self, settings: State) -> None:
        self.settings = settings
        self._before: list[State] = []
        self._after: list[State] = []
        self._last_control: str | None = None

    def change(self, settings: State, control: str) -> None:
        """Take new settings, made by ``control``."""
        if settings == self.settings:
            return
        if control != self._last_control:
            self._before = [*self._before, self.settings][-MOST_STEPS:]
        self._after.clear()
        self._last_control = control
        self.settings = settings

    def rest(self) -> None:
        """Let the next change begin a step of its own."""
        self._last_control = None

    @property
    def can_undo(self) -> bool:
        """Whether there are previous settings."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Whether there are settings to go forward to."""
        return bool(self._after)

    def undo(self) -> bool:
        """Bring the previous settings back."""
        return self._move(self._before, self._after)

    def redo(self) -> bool:
        """Bring back what was undone."""
        return self._move(self._after, self._before)

    def _move(self, source: list[State], target: list[State]) -> bool:
        self.rest()
        if not source:
            return False
        target.append(self.settings)
        self.settings = source.pop()
        return True
