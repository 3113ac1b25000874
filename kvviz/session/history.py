"""Settings that can be had back."""

from kvviz.session.settings import Settings

MOST_STEPS = 50


class History:
    """Undo and redo of settings; changes of the same control in a row are one step."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._before: list[Settings] = []
        self._after: list[Settings] = []
        self._last_control: str | None = None

    def change(self, settings: Settings, control: str) -> None:
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

    def _move(self, source: list[Settings], target: list[Settings]) -> bool:
        self.rest()
        if not source:
            return False
        target.append(self.settings)
        self.settings = source.pop()
        return True
