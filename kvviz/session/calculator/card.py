"""A GPU to choose: its memory, and what it does at most."""

from dataclasses import dataclass

from kvviz.sizing.amounts import parse_bytes, parse_count
from kvviz.sizing.errors import InputError, within
from kvviz.sizing.hardware import GPUS, Hardware
from kvviz.sizing.unused import LEAST_MEMORY

MOST_RATE = 10**18
TYPED = "the typed GPU"


@dataclass(frozen=True, slots=True)
class Card:
    """Memory in bytes, and the hardware; raises InputError where a number cannot be a GPU's."""

    memory: int
    hardware: Hardware

    def __post_init__(self) -> None:
        within("memory", self.memory, 1, 2**50)
        within("bandwidth in bytes/s", self.hardware.bandwidth, 1, MOST_RATE)
        within("operations a second", self.hardware.flops, 1, MOST_RATE)

    @property
    def name(self) -> str:
        """What the maker calls it."""
        return self.hardware.name

    def typed(self, **changes: int) -> "Card":
        """Return a GPU of one's own: this one with another ``memory``, ``bandwidth`` or speed."""
        hardware = Hardware(
            TYPED,
            changes.get("bandwidth", self.hardware.bandwidth),
            changes.get("flops", self.hardware.flops),
        )
        return Card(changes.get("memory", self.memory), hardware)


def read_memory(text: str) -> int:
    """Return bytes from text such as 24GiB; raise InputError otherwise, and without a unit."""
    if text.isdecimal() and 0 < (number := parse_bytes(text)) < LEAST_MEMORY:
        raise InputError(f"{number:,} alone is bytes: write a unit, such as {number}GiB.")
    return parse_bytes(text)


def read_bandwidth(text: str) -> int:
    """Return bytes a second from text such as 1008 GB/s; raise InputError otherwise."""
    try:
        return parse_bytes(text.lower().removesuffix("/s"))
    except InputError:
        raise InputError(f"{text[:40]!a} is not a bandwidth such as 1008 GB/s.") from None


def read_flops(text: str) -> int:
    """Return operations a second from text such as 165 TFLOP/s; raise InputError otherwise."""
    bare = text.lower().replace("flops", "flop").removesuffix("/s").removesuffix("flop")
    try:
        return parse_count(bare)
    except InputError:
        raise InputError(f"{text[:40]!a} is not a speed such as 165 TFLOP/s.") from None


CARDS = tuple(Card(gpu.memory, gpu.hardware) for gpu in GPUS)
USUAL_CARD = CARDS[1]
