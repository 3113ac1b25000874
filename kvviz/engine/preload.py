"""torch's largest libraries, brought into memory while the rest of the program goes on."""

import ctypes
import importlib.util
import os
import sys
import threading
from pathlib import Path

# As torch's own import would load them, in this order; the first one's symbols are for all.
LIBRARIES = (
    ("libtorch_global_deps.so", os.RTLD_GLOBAL),
    ("libtorch_cpu.so", os.RTLD_LOCAL),
    ("libtorch_python.so", os.RTLD_LOCAL),
)
LOADING = threading.Lock()
"""For who starts threads or loads libraries meanwhile: either waits for the system's loader, and
keeps the interpreter's lock while it waits."""


def preload_torch() -> None:
    """Load what ``import torch`` spends longest on; do nothing where that is not possible.

    An import holds the interpreter's lock while a library is loaded, 0.4 s for these, and a
    window cannot draw.  A foreign function called through ctypes lets go of it.
    """
    found = importlib.util.find_spec("torch") if sys.platform == "linux" else None
    if found is None or found.origin is None:
        return
    dlopen = ctypes.CDLL(None).dlopen
    dlopen.restype, dlopen.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_int]
    folder = Path(found.origin).parent / "lib"
    with LOADING:
        for name, scope in LIBRARIES:
            # What cannot be loaded is left to torch, which says what is wrong.
            dlopen(os.fsencode(folder / name), os.RTLD_NOW | scope)
