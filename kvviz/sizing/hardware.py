"""What GPUs do at most, and hold: each maker's own figures, with where they are written."""

from dataclasses import dataclass

from kvviz.sizing.errors import InputError

GIB, GB, TERA = 2**30, 10**9, 10**12


@dataclass(frozen=True, slots=True)
class Hardware:
    """What one GPU does at most: bytes a second, and operations a second in 16 bit, dense."""

    name: str
    bandwidth: int
    flops: int


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU on sale: its memory in bytes, what it does, and the document that says so."""

    memory: int
    hardware: Hardware
    source: str


def _gpu(name: str, memory_gib: int, bandwidth_gb: int, tera_flops: int, source: str) -> Gpu:
    hardware = Hardware(name, bandwidth_gb * GB, tera_flops * TERA)
    return Gpu(memory_gib * GIB, hardware, source)


# Memory is what makers write as GB and drivers count in GiB (141 GB of an H200 are 143,771 MiB).
# Speed is of bfloat16 on matrix units summed in float32, half of the figures "with sparsity".
GPUS = (
    _gpu("RTX 3090", 24, 936, 71, "NVIDIA Ampere GA102 GPU architecture whitepaper, appendix A"),
    _gpu("RTX 4090", 24, 1_008, 165, "NVIDIA Ada GPU architecture whitepaper, appendix A"),
    _gpu("RTX 5090", 32, 1_792, 209, "NVIDIA RTX Blackwell GPU architecture whitepaper, appendix"),
    _gpu("L4", 24, 300, 121, "NVIDIA L4 data sheet: 242 with sparsity"),
    _gpu("L40S", 48, 864, 362, "NVIDIA L40S data sheet: 362.05, 733 with sparsity"),
    _gpu("A100 40 GB", 40, 1_555, 312, "NVIDIA A100 data sheet"),
    _gpu("A100 80 GB", 80, 2_039, 312, "NVIDIA A100 data sheet, SXM"),
    _gpu("H100 SXM", 80, 3_350, 989, "NVIDIA H100 data sheet: 1,979 with sparsity"),
    _gpu("H200", 141, 4_800, 989, "NVIDIA H200 data sheet: 1,979 with sparsity"),
    _gpu("B200", 180, 8_000, 2_250, "NVIDIA DGX B200 data sheet, an eighth: 64 TB/s, 1,440 GB"),
    _gpu("MI300X", 192, 5_300, 1_307, "AMD Instinct MI300X data sheet: 1,307.4"),
)


def find_hardware(name: str) -> Hardware:
    """Return a GPU by its name, however it is spaced; raise InputError with those known."""
    found = {_bare(gpu.hardware.name): gpu.hardware for gpu in GPUS}.get(_bare(name))
    if found is None:
        known = ", ".join(gpu.hardware.name for gpu in GPUS)
        raise InputError(f"Hardware {name[:40]!a} is not known: choose one of {known}.")
    return found


def _bare(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
