"""What the controls say, how far each may go, and the run they ask for."""

from collections.abc import Callable
from dataclasses import replace

from kvviz.session.history import History
from kvviz.session.limits import Stop, slider_stops, with_control
from kvviz.session.settings import Settings
from kvviz.sizing.errors import InputError
from kvviz.trace.config import RunConfig

EMPTY_PROMPT = "The prompt is empty: type at least one character."


Encode = Callable[[Settings], tuple[tuple[int, ...], ...] | None]
"""Gives the ids of each of the settings' prompts, None while they are worked out elsewhere.

It may raise InputError: not every text has ids.
"""


class Controls:
    """Settings with their history; ``planned`` is the run they ask for, or ``problem`` why not.

    ``free`` is the memory that was free when they were last worked out, in bytes.  While
    ``waiting``, the prompt's ids are those of an earlier text, and a plan made of them only shows
    how much it will be about.
    """

    def __init__(
        self,
        settings: Settings,
        encode: Encode,
        free_bytes: Callable[[], int],
    ) -> None:
        self._history = History(settings)
        self._encode = encode
        self._free_bytes = free_bytes
        self.ids: tuple[tuple[int, ...], ...] = ((),)
        self.waiting = False
        self.stops: dict[str, Stop] = {}
        self.planned: RunConfig | None = None
        self.problem = ""
        self.free = 0
        self.refresh()

    @property
    def settings(self) -> Settings:
        """What the controls say."""
        return self._history.settings

    @property
    def prompt_ids(self) -> tuple[int, ...]:
        """The longest prompt's ids: what must fit into the sequence limit."""
        return max(self.ids, key=len)

    @property
    def can_undo(self) -> bool:
        """Whether previous settings can be had back."""
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether undone settings can be had back."""
        return self._history.can_redo

    def change(self, control: str, value: object, *, settled: bool) -> None:
        """Set one control; moves until it settles are one step of the history."""
        self._history.change(with_control(self.settings, control, value), control)
        if settled:
            self._history.rest()
        self.refresh()

    def replace_all(self, settings: Settings) -> None:
        """Take whole settings, as one step of the history."""
        self._history.rest()
        self._history.change(settings, "all")
        self._history.rest()
        self.refresh()

    def undo(self) -> bool:
        """Bring the previous settings back; False where there are none."""
        done = self._history.undo()
        self.refresh()
        return done

    def redo(self) -> bool:
        """Bring back what was undone; False where nothing was."""
        done = self._history.redo()
        self.refresh()
        return done

    def refresh(self) -> None:
        """Work out stops, plan and problem anew, for the memory that is free now."""
        settings, free = self.settings, self._free_bytes()
        self.free = free
        unreadable = self._count()
        self.stops = slider_stops(settings, len(self.prompt_ids), free)
        self.planned, self.problem = None, ""
        try:
            if not settings.prompt.strip():
                raise InputError(EMPTY_PROMPT)
            if unreadable is not None:
                raise unreadable
            if len(self.ids) != len(settings.prompts):  # those of other texts, while waiting
                return
            planned = settings.to_config(*self.ids)
            planned.cost.check(free)
            self.planned = planned
        except InputError as error:
            self.problem = "" if self.waiting else str(error)

    def _count(self) -> InputError | None:
        """Take the prompts' ids if they are known; return why there are none."""
        try:
            ids = self._encode(self.settings)
        except InputError as error:
            self.ids, self.waiting = ((),), False
            return error
        self.waiting = ids is None
        if ids is not None:
            self.ids = ids
        return None

    def fit_limit(self) -> None:
        """Raise the sequence limit to what prompt and new tokens need, where it is too low."""
        needed = len(self.prompt_ids) + self.settings.max_new_tokens
        if needed > self.settings.max_seq_len:
            self.replace_all(replace(self.settings, max_seq_len=needed))
