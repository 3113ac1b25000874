"""How a run computes attention, in a word or two."""

from kvviz.sizing.kernel import Kernel
from kvviz.trace.config import RunConfig


def kernel_words(config: RunConfig) -> str:
    """Return the kernel as a label has it, with the side of its tiles where it goes in tiles."""
    match config.kernel:
        case Kernel.SDPA:
            return "SDPA"
        case Kernel.EAGER:
            return "eager"
        case Kernel.BLOCKWISE:
            return f"tiles of {config.tile:,}"
