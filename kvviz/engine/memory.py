"""What this machine has left, and what this process takes of it."""

import psutil


def free_bytes() -> int:
    """Return the memory that can be taken without swapping, in bytes."""
    return int(psutil.virtual_memory().available)


def resident_bytes() -> int:
    """Return the memory that this process has in RAM, in bytes.

    It lags behind what tensors take: an allocator keeps pages that were given back to it.
    """
    return int(psutil.Process().memory_info().rss)
