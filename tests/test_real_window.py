"""The app as a person starts it, on a real X server."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NEEDED = [name for name in ("Xvfb", "xdotool") if shutil.which(name) is None]
REQUIRED = "KVVIZ_REQUIRE_XVFB" in os.environ


@pytest.fixture
def display():
    """A screen of its own; -displayfd writes its number once it is ready."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1440x900x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        number = pipe.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait(10)


@pytest.mark.skipif(bool(NEEDED) and not REQUIRED, reason="Xvfb or xdotool is not installed")
@pytest.mark.timeout(180)
def test_the_window_opens_and_ends_on_a_signal(display, tmp_path):
    environment = {
        **os.environ,
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
        "KVVIZ_SETTINGS": str(tmp_path / "settings.json"),
    }
    app = subprocess.Popen(
        [sys.executable, "-m", "kvviz"],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        # The title says what runs, so a window of that name has begun to play.
        search = ["xdotool", "search", "--sync", "--onlyvisible", "--name", "preallocated.*kvviz"]
        found = subprocess.run(
            search, env=environment, capture_output=True, text=True, timeout=90, check=True
        )
        assert found.stdout.split()
        app.send_signal(signal.SIGTERM)
        _, words = app.communicate(timeout=20)
    finally:
        app.kill()
    assert words == ""
    assert app.returncode == 128 + signal.SIGTERM
    assert (tmp_path / "settings.json").is_file()
