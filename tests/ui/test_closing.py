import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

HANGING = Path(__file__).parents[1] / "support" / "hanging_window.py"
SOON_S = 5  # about two, on a machine that does nothing else


@pytest.mark.parametrize("hangs", ["file", "config", "model"])
def test_a_window_closes_and_its_process_ends_whatever_hangs(hangs, tmp_path):
    settings = tmp_path / "settings.json"
    command = subprocess.Popen(
        [sys.executable, str(HANGING), hangs],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "KVVIZ_SETTINGS": str(settings)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with command as app:
        try:
            assert app.stdout.readline() == "closed False\n"
            begin = time.monotonic()
            _, words = app.communicate(timeout=60)
        finally:
            app.kill()
    assert time.monotonic() - begin < SOON_S
    assert (app.returncode, words) == (0, "")
    assert settings.is_file()
