"""A GPU to choose: its memory, and what it does at most."""

from dataclasses import dataclass

from kvviz.sizing.amounts import parse_bytes, parse_count
from kvviz.sizing.errors import InputError
from kvviz.sizing.policy import within
from kvviz.sizing.roofline import Hardware

GIB, GB, TERA = 2**30, 10**9, 10**12
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


def _card(name: str, memory: int, bandwidth_gb: int, tera_flops: int) -> Card:
    return Card(memory, Hardware(name, bandwidth_gb * GB, tera_flops * TERA))


# Each maker's data sheet: matrix units, 16-bit, without sparsity.
CARDS = (
    _card("RTX 3090", 24 * GIB, 936, 71),
    _card("RTX 4090", 24 * GIB, 1_008, 165),
    _card("RTX 5090", 32 * GIB, 1_792, 209),
    _card("L4", 24 * GIB, 300, 121),
    _card("L40S", 48 * GIB, 864, 362),
    _card("A100 40 GB", 40 * GIB, 1_555, 312),
    _card("A100 80 GB", 80 * GIB, 2_039, 312),
    _card("H100 SXM", 80 * GIB, 3_350, 989),
    _card("H200", 141 * GB, 4_800, 989),
    _card("B200", 180 * GB, 8_000, 2_250),
    _card("MI300X", 192 * GIB, 5_300, 1_307),
)
USUAL_CARD = CARDS[1]
