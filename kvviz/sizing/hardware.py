"""What a machine can do at best, as its maker says: the two numbers of a roofline."""

from dataclasses import dataclass

from kvviz.sizing.policy import within

GIB, GB, TERA = 2**30, 10**9, 10**12
MOST_RATE = 10**18


@dataclass(frozen=True, slots=True)
class Hardware:
    """One GPU: memory in bytes, ``bandwidth`` in bytes/s, ``flops`` in 16-bit FLOP/s, dense.

    Raises InputError where a number cannot be one of a machine.
    """

    name: str
    memory: int
    bandwidth: int
    flops: int

    def __post_init__(self) -> None:
        within("memory", self.memory, 1, 2**50)
        within("bandwidth in bytes/s", self.bandwidth, 1, MOST_RATE)
        within("FLOP/s", self.flops, 1, MOST_RATE)


# Each maker's data sheet: matrix units, 16-bit, without sparsity.
HARDWARE = (
    Hardware("RTX 4090", 24 * GIB, 1_008 * GB, 165 * TERA),
    Hardware("RTX 3090", 24 * GIB, 936 * GB, 71 * TERA),
    Hardware("RTX 5090", 32 * GIB, 1_792 * GB, 209 * TERA),
    Hardware("L4", 24 * GIB, 300 * GB, 121 * TERA),
    Hardware("L40S", 48 * GIB, 864 * GB, 362 * TERA),
    Hardware("A100 40 GB", 40 * GIB, 1_555 * GB, 312 * TERA),
    Hardware("A100 80 GB", 80 * GIB, 2_039 * GB, 312 * TERA),
    Hardware("H100 SXM", 80 * GIB, 3_350 * GB, 989 * TERA),
    Hardware("H200", 141 * GB, 4_800 * GB, 989 * TERA),
    Hardware("B200", 180 * GB, 8_000 * GB, 2_250 * TERA),
    Hardware("MI300X", 192 * GIB, 5_300 * GB, 1_307 * TERA),
)
