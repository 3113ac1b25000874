"""The values a slider may take, and how a typed one is brought to one of them."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Number = int | float
SUFFIXES = {"k": 2**10, "m": 2**20}


def plain(value: Number) -> str:
    """Write ``value`` with thousands separated, floats as short as they are exact."""
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def off_at_0(value: Number) -> str:
    """Write a count of which 0 means that there is no such thing."""
    return f"{value:,}" if value else "off"


@dataclass(frozen=True, slots=True)
class Stops:
    """Ascending allowed values; a slider's position is an index into them."""

    values: Sequence[Number]
    text: Callable[[Number], str] = plain

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError("a slider needs at least one value")

    @property
    def last(self) -> int:
        """Index of the highest value."""
        return len(self.values) - 1

    def nearest(self, value: Number) -> int:
        """Index of the allowed value closest to ``value``; of two equally close ones, the lower."""
        right = bisect_left(self.values, value)
        if right == 0:
            return 0
        if right > self.last:
            return self.last
        below, above = self.values[right - 1], self.values[right]
        return right - 1 if value - below <= above - value else right

    def at_most(self, value: Number) -> int:
        """Index of the highest allowed value not above ``value``; 0 when all are."""
        index = bisect_left(self.values, value)
        if index <= self.last and self.values[index] == value:
            return index
        return max(0, index - 1)

    def read(self, typed: str) -> Number | None:
        """Return the number that was typed, or None if it is none.

        Separators are allowed, whatever ``text`` puts behind a number, and 128k as axes write it;
        digits are ASCII, as on the command line.
        """
        behind = self.text(self.values[0]).rpartition(" ")[2]
        bare = typed.strip() if behind[-1:].isdigit() else typed.strip().removesuffix(behind)
        bare = "".join(bare.split()).replace(",", "").replace("_", "").lower()
        scale = SUFFIXES.get(bare[-1:], 1)
        if not bare.isascii():
            return None
        try:
            number = float(bare[:-1] if scale > 1 else bare) * scale
        except ValueError:
            return None
        if number != number or number in (float("inf"), float("-inf")):
            return None
        return int(number) if number == int(number) else number

    def describe(self) -> str:
        """Say what is allowed, for the end of a sentence."""
        low, high = self.text(self.values[0]), self.text(self.values[-1])
        if isinstance(self.values, range) or len(self.values) > 8:
            return f"{low} to {high}"
        return ", ".join(self.text(value) for value in self.values)
