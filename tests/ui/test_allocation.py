import ctypes
import subprocess
import sys

import pytest

from kvviz.ui import allocation
from kvviz.ui.allocation import LARGE, keep_large_blocks_apart

# The address space that a freed large block leaves behind, in bytes.
LEFT = """
import ctypes, resource
from kvviz.ui.allocation import LARGE, keep_large_blocks_apart
keep_large_blocks_apart()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
def taken(): return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
libc.free(libc.malloc(4 * LARGE))  # glibc alone would now keep smaller ones in its heap
before = taken()
block, above = libc.malloc(2 * LARGE), libc.malloc(1000)
libc.free(block)
print(taken() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's own setting")
def test_a_large_block_leaves_nothing_when_it_is_freed():
    done = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True)
    assert done.stderr == ""
    assert int(done.stdout) < LARGE


def test_another_c_library_is_left_alone(monkeypatch):
    class Plain:
        def __init__(self, name):
            assert name is None

    monkeypatch.setattr(allocation.ctypes, "CDLL", Plain)
    keep_large_blocks_apart()
    monkeypatch.setattr(allocation.sys, "platform", "win32")
    monkeypatch.setattr(allocation.ctypes, "CDLL", ctypes.c_int)
    keep_large_blocks_apart()
