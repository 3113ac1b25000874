"""How the C library keeps large blocks."""

import ctypes
import sys

M_MMAP_THRESHOLD = -3  # of glibc's malloc.h
LARGE = 4 * 2**20  # a long grid's picture; the rows of a decode step stay below


def keep_large_blocks_apart() -> None:
    """Give blocks of LARGE bytes a place of their own, given back whole when they are freed.

    glibc stops doing so for every size up to the largest block freed so far: the next run's
    records then settle in the hole a picture left, the next picture takes a new place, and the
    process grows by a picture a run.  Does nothing with another C library.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, LARGE)
