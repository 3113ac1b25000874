"""An X server of a test's own, and kvviz on it as a person starts it."""

import json
import os
import selectors
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
SPIED = Path(__file__).with_name("spied_window.py")
LONGEST_S = 90  # a busy machine imports torch in half a minute


@contextmanager
def screen(folder):
    """Give a display's name; what it shows is in a file of ``folder``."""
    reader, writer = os.pipe()
    place = ["-displayfd", str(writer), "-fbdir", str(folder)]
    command = ["Xvfb", *place, "-screen", "0", "1440x900x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as pipe:
            yield f":{pipe.readline().strip()}"
    finally:
        server.terminate()
        server.wait(10)


def pixels(folder):
    """Return what the screen shows now, [height, width, RGB]: X's own dump, whose header says."""
    data = (folder / "Xvfb_screen0").read_bytes()
    header = np.frombuffer(data, ">u4", 25)
    start, width, height, row_bytes, colors = (int(header[i]) for i in (0, 4, 5, 12, 19))
    start += 12 * colors
    rows = np.frombuffer(data, np.uint8, height * row_bytes, start)
    return rows.reshape(height, row_bytes)[:, : 4 * width].reshape(height, width, 4)[:, :, 2::-1]


class App:
    """kvviz on a display; ``told`` is the last that it told of itself."""

    def __init__(self, display, settings, *, spied=True):
        self.environment = {
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "KVVIZ_SETTINGS": str(settings),
        }
        self.told = {}
        self._read = b""
        self.process = subprocess.Popen(
            [sys.executable, *([str(SPIED)] if spied else ["-m", "kvviz"])],
            cwd=ROOT,
            env={**self.environment, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._ready = selectors.DefaultSelector()
        self._ready.register(self.process.stdout, selectors.EVENT_READ)

    def xdotool(self, *words):
        """Do something that hands and eyes would do; return what it found."""
        return subprocess.run(
            ["xdotool", *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=True,
        ).stdout.split()

    def take_keyboard(self):
        """Wait for the window, which no window manager puts in front, and give it the keyboard.

        Its title says what runs: the default prompt has begun to play.
        """
        search = ("search", "--sync", "--onlyvisible", "--name", "preallocated.*kvviz")
        self.xdotool("windowfocus", "--sync", self.xdotool(*search)[0])

    def press(self, *keys):
        """Press keys, one after the other."""
        self.xdotool("key", *keys)

    def until(self, condition):
        """Read on until ``condition`` holds of what is told; raise TimeoutError if it does not."""
        deadline = time.monotonic() + LONGEST_S
        while not (self.told and condition(self.told)):
            while b"\n" not in self._read:
                if not self._ready.select(max(0.0, deadline - time.monotonic())):
                    raise TimeoutError(f"last told: {self.told}")
                more = os.read(self.process.stdout.fileno(), 65536)
                if not more:
                    raise EOFError(self.process.stderr.read())
                self._read += more
            line, _, self._read = self._read.partition(b"\n")
            self.told = json.loads(line)
        return self.told

    def end(self):
        """Make sure that it is gone."""
        self.process.kill()
        self.process.communicate()
        self._ready.close()
