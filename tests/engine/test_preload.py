import subprocess
import sys

import pytest

from kvviz.engine import preload

PRELOADS = """
import sys
from kvviz.engine.preload import preload_torch
preload_torch()
maps = open("/proc/self/maps").read()
print("libtorch_cpu.so" in maps, "libtorch_python.so" in maps, "torch" in sys.modules)
import torch
print(torch.ones(2).sum().item())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are loaded by these names on Linux")
def test_the_library_is_there_before_torch_is_imported_and_torch_still_works():
    done = subprocess.run([sys.executable, "-c", PRELOADS], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True True False\n2.0\n", "")


def test_without_torch_nothing_happens(monkeypatch):
    monkeypatch.setattr(preload.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(preload.ctypes, "CDLL", None)
    preload.preload_torch()


def test_a_library_that_is_not_there_is_left_to_torch(monkeypatch, tmp_path):
    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr(preload.importlib.util, "find_spec", lambda name: Spec)
    preload.preload_torch()
