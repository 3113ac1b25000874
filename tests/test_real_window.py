"""The app as a person starts it, on a real X server."""

import os
import shutil
import signal
import time

import numpy as np
import pytest
from PySide6.QtGui import QColor
from real_screen import App, pixels, screen

from kvviz.ui.theme import LIGHT

NEEDED = [name for name in ("Xvfb", "xdotool") if shutil.which(name) is None]
REQUIRED = "KVVIZ_REQUIRE_XVFB" in os.environ
SOON_S = 5

pytestmark = [
    pytest.mark.skipif(
        bool(NEEDED) and not REQUIRED, reason=f"{' and '.join(NEEDED)} not installed"
    ),
    pytest.mark.timeout(300),
]


@pytest.fixture
def start(tmp_path):
    """Start kvviz on a screen of its own."""
    apps = []
    with screen(tmp_path) as display:

        def started(**how):
            apps.append(App(display, tmp_path / "settings.json", **how))
            return apps[-1]

        yield started
        for app in apps:
            app.end()


def share_of(picture, color):
    wanted = np.array(QColor(color).getRgb()[:3])
    return np.mean(np.all(np.abs(picture.astype(int) - wanted) <= 2, axis=2))


def test_the_default_prompt_plays_and_is_seen(start, tmp_path):
    app = start()
    app.until(lambda told: told["cursor"] >= 2 and told["playing"])
    app.until(lambda told: not told["playing"])
    assert app.told["cursor"] == app.told["steps"] - 1 >= 20
    app.take_keyboard()
    seen = pixels(tmp_path)
    assert seen.shape == (900, 1440, 3)
    assert share_of(seen, LIGHT.bg0) > 0.05
    assert share_of(seen, LIGHT.masked) > 0.02
    assert len(np.unique(seen.reshape(-1, 3), axis=0)) > 200


def test_keys_play_step_fit_and_enlarge(start):
    app = start()
    app.until(lambda told: told["cursor"] >= 2)
    app.take_keyboard()
    app.press("space")
    at = app.until(lambda told: not told["playing"])["cursor"]
    app.press("Left")
    app.until(lambda told: told["cursor"] == at - 1)
    app.press("Right")
    app.until(lambda told: told["cursor"] == at)
    app.press("Home")
    app.until(lambda told: told["cursor"] == -1)
    app.press("End")
    app.until(lambda told: told["cursor"] == told["steps"] - 1)
    app.press("1", "Left")
    app.until(lambda told: not told["fitted"])
    app.press("f", "Right")
    app.until(lambda told: told["fitted"])
    app.press("ctrl+equal")
    app.until(lambda told: told["zoom"] > 1)
    app.press("ctrl+0")
    app.until(lambda told: told["zoom"] == 1)
    app.press("space")
    app.until(lambda told: told["playing"])


def test_closed_in_the_middle_of_a_run_it_is_gone_soon_and_without_a_word(start, tmp_path):
    app = start()
    app.until(lambda told: told["live"] and told["cursor"] >= 2)
    app.take_keyboard()
    begin = time.monotonic()
    app.press("ctrl+q")
    _, words = app.process.communicate(timeout=60)
    assert time.monotonic() - begin < SOON_S
    assert (app.process.returncode, words) == (0, "")
    assert (tmp_path / "settings.json").is_file()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it(start, tmp_path, number):
    app = start(spied=False)
    app.take_keyboard()
    app.process.send_signal(number)
    _, words = app.process.communicate(timeout=60)
    assert (app.process.returncode, words) == (128 + number, "")
    assert (tmp_path / "settings.json").is_file()
