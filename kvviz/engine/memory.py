"""What this machine has left."""

import psutil


def free_bytes() -> int:
    """Return the memory that can be taken without swapping, in bytes."""
    return int(psutil.virtual_memory().available)
