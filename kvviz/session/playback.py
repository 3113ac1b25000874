"""Where we are in a run: one mechanism of pace for live and replay.

The cursor wants to move on at a pace.  Where the step it wants is recorded, it goes there; where
it is not, the wish is the credit that lets the worker compute it.
"""

from math import floor

FIRST = -1  # the cursor before the first step: the prompt is there, nothing has run


class Playback:
    """The cursor of the shown run, and how it moves."""

    def __init__(self, pace: float | None = 4.0) -> None:
        self.pace = pace
        self.playing = False
        self.ahead = False  # whether a run is computed to its end wherever the cursor stands
        self.cursor = FIRST
        self._wanted = float(FIRST)

    @property
    def credit(self) -> int | None:
        """How many steps the shown run may have computed in all; None: no limit."""
        if self.ahead or (self.playing and self.pace is None):
            return None
        return max(self.cursor, floor(self._wanted)) + 1

    def begin(self) -> None:
        """Stand before the first step of a new run, playing."""
        self.cursor = FIRST
        self._wanted = float(FIRST + 1)
        self.playing = True

    def set_pace(self, pace: float | None) -> None:
        """Set steps per second; None is as fast as the machine goes."""
        self.pace = pace
        self._wanted = float(max(self.cursor, FIRST))

    def play(self, length: int, live: bool) -> None:
        """Go on from here; at the end of a finished run start over from its beginning."""
        if not live and self.cursor >= length - 1:
            self.cursor = FIRST
        self._wanted = float(self.cursor + 1)
        self.playing = True

    def pause(self) -> None:
        """Stay here."""
        self.playing = False
        self._wanted = float(self.cursor)

    def step(self, by: int, length: int, live: bool) -> None:
        """Move by whole steps; one past the recorded end asks a live run for one more."""
        self.pause()
        target = self.cursor + by
        last = length if live else length - 1
        self._go(max(FIRST, min(target, last)), length)

    def seek(self, index: int, length: int) -> None:
        """Go to a recorded step and stay there; at the newest one a run that plays goes on."""
        if not (self.playing and index >= length - 1 >= 0):
            self.pause()
        self._go(max(FIRST, min(index, length - 1)), length)

    def tick(self, elapsed_s: float, length: int, live: bool) -> bool:
        """Let time pass; return whether the cursor moved."""
        before = self.cursor
        if self.playing:
            ahead = float(length) if self.pace is None else elapsed_s * self.pace
            # A slow model must not build up a debt that is then paid in one leap.
            self._wanted = min(self._wanted + ahead, length - 1 + max(1.0, ahead))
        self.cursor = max(before, min(floor(self._wanted), length - 1))
        if self.playing and not live and self.cursor >= length - 1:
            self.pause()
        return self.cursor != before

    def _go(self, target: int, length: int) -> None:
        self._wanted = float(target)
        self.cursor = min(target, length - 1)
