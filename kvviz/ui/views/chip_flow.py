"""Where chips of given widths stand when they are laid out in lines."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chip:
    """One chip's line and its place on it, in px."""

    line: int
    x: float
    width: float


class ChipFlow:
    """Lines of chips; more are appended without laying out those before them again.

    ``first`` is the line with which the part in sight begins, ``lines`` how many are in sight.
    """

    scrolls = 1  # how much further a notch of the wheel goes

    def __init__(self, width: float, gap: float) -> None:
        self.width = width
        self._gap = gap
        self._chips: list[Chip] = []
        self._starts: list[int] = []  # the first chip of every line

    def __len__(self) -> int:
        return len(self._chips)

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return len(self._starts)

    def chip(self, index: int) -> Chip:
        """Return where a chip stands."""
        return self._chips[index]

    def keep(self, count: int) -> None:
        """Forget all chips but the first ``count``."""
        del self._chips[count:]
        while self._starts and self._starts[-1] >= count:
            self._starts.pop()

    def extend(self, pieces: Sequence[str], width_of: Callable[[str], float]) -> None:
        """Append a chip for every piece, on a new line where it has no room."""
        for piece in pieces:
            width = min(width_of(piece), self.width)
            last = self._chips[-1] if self._chips else None
            x = last.x + last.width + self._gap if last else 0.0
            if last is None or self._breaks(x + width):
                self._starts.append(len(self._chips))
                x = 0.0
            self._chips.append(Chip(len(self._starts) - 1, x, width))

    def on_lines(self, first: int, last: int) -> range:
        """Return the chips on lines ``first``..``last`` (exclusive)."""
        starts = self._starts
        if first >= len(starts):
            return range(0)
        stop = starts[last] if last < len(starts) else len(self._chips)
        return range(starts[max(0, first)], stop)

    def in_sight(self, first: int, lines: int) -> range:
        """Return the chips that are in sight."""
        return self.on_lines(first, first + lines)

    def last_first(self, lines: int) -> int:
        """Return the ``first`` from which on there is room up to the end."""
        return max(0, self.lines - lines)

    def begin(self, first: int) -> tuple[float, int]:
        """Return where on its line the part in sight begins, in px, and that line."""
        return 0.0, first

    def at(self, line: int, x: float) -> int | None:
        """Return the chip at ``x`` on a line; None between chips."""
        chips = self.on_lines(line, line + 1) if line >= 0 else range(0)
        place = bisect_right([self._chips[i].x for i in chips], x) - 1
        if place < 0:
            return None
        index = chips[place]
        return index if x < self._chips[index].x + self._chips[index].width else None

    def _breaks(self, end: float) -> bool:
        return end > self.width


class ChipLine(ChipFlow):
    """Chips on a single line, however long it is; ``first`` is a chip, so that no line is short."""

    scrolls = 3

    def in_sight(self, first: int, lines: int) -> range:
        """Return the chips that have room."""
        if not self._chips:
            return range(0)
        most = self._chips[first].x + self.width
        return range(first, bisect_right(self._chips, most, key=lambda chip: chip.x + chip.width))

    def last_first(self, lines: int) -> int:
        """Return the first chip of as many as have room up to the end."""
        if not self._chips:
            return 0
        end = self._chips[-1].x + self._chips[-1].width
        return bisect_left(self._chips, end - self.width, key=lambda chip: chip.x)

    def begin(self, first: int) -> tuple[float, int]:
        """Return where the first chip in sight stands."""
        return self._chips[first].x if self._chips else 0.0, 0

    def _breaks(self, end: float) -> bool:
        return False
