"""See, size and feel a KV cache."""

import os

# Before torch allocates: on Linux weights lie in pages of 2 MiB, quicker to get and to read.
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")

__version__ = "0.1.0"
