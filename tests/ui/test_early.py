import gc
import signal
import subprocess
import sys

import pytest

from kvviz.ui.early import starting

FIRST = """
import sys
def there(*names): print(*(name in sys.modules for name in names))
from kvviz.ui.early import starting
with starting():
    there("PySide6", "torch", "pydantic", "kvviz.session.scene")
    from kvviz.ui.start import build_window
    there("PySide6", "torch", "pydantic", "importlib.metadata")
"""


@pytest.fixture(autouse=True)
def thawed():
    yield
    gc.unfreeze()


def test_rooms_without_qt_come_first_and_nothing_that_a_first_paint_can_do_without():
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout == "False False False True\nTrue False False False\n"


def test_the_collector_rests_inside_and_works_afterwards():
    with starting():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_collector_works_again_where_a_start_fails():
    def fail():
        with starting():
            raise OSError("no display")

    with pytest.raises(OSError, match="no display"):
        fail()
    assert gc.isenabled()


def test_ctrl_c_ends_a_start_at_once_and_is_an_exception_again_afterwards():
    before = signal.getsignal(signal.SIGINT)
    with starting():
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is before


def test_who_took_ctrl_c_meanwhile_keeps_it():
    before = signal.getsignal(signal.SIGINT)
    with starting():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert signal.signal(signal.SIGINT, before) is signal.SIG_IGN
