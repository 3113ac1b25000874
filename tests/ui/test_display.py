import os
import subprocess
import sys
from pathlib import Path

import pytest

from kvviz.sizing.errors import InputError
from kvviz.ui import display
from kvviz.ui.display import do_without_display, no_display_reason, package_of

ROOT = Path(__file__).resolve().parents[2]
NOBODY = ":7777"  # no X server has this number
ONLY_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="an X server is asked on Linux")


@pytest.fixture
def linux(monkeypatch):
    """A Linux machine with every library and nothing to draw on."""
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.setenv(name, "")  # and so put back, whatever is put there
    monkeypatch.setattr(display, "_is_there", lambda library: True)
    return monkeypatch


def test_without_a_display_one_sentence_says_what_to_do(linux):
    assert "DISPLAY" in no_display_reason()
    assert "kvviz run" in no_display_reason()


@pytest.mark.parametrize("answers", [True, False])
def test_an_x_server_is_asked(linux, answers):
    linux.setenv("DISPLAY", NOBODY)
    linux.setattr(display, "_answers", lambda: answers)
    reason = no_display_reason()
    assert reason is None if answers else NOBODY in reason


@pytest.mark.parametrize("name", ["WAYLAND_DISPLAY", "QT_QPA_PLATFORM"])
def test_another_display_or_platform_is_qts_own_affair(linux, name):
    linux.setenv(name, "x")
    assert no_display_reason() is None


def test_elsewhere_a_display_is_always_there(linux):
    linux.setattr(sys, "platform", "darwin")
    assert no_display_reason() is None


def test_every_library_that_is_missing_is_named_by_its_package(linux):
    linux.setenv("DISPLAY", ":0")
    missing = {"libEGL.so.1", "libxcb-cursor.so.0"}
    linux.setattr(display, "_is_there", lambda library: library not in missing)
    assert "apt-get install libegl1 libxcb-cursor0." in no_display_reason()
    linux.setenv("QT_QPA_PLATFORM", "offscreen")
    assert "apt-get install libegl1." in no_display_reason()


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libGL.so.1", "libgl1"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
    ],
)
def test_packages_are_named_as_debian_does(library, package):
    assert package_of(library) == package


def test_the_readme_installs_every_package():
    words = (ROOT / "README.md").read_text(encoding="utf-8").split()
    needed = {package_of(name) for name in display.QT_LIBRARIES + display.X_LIBRARIES}
    assert needed - {"libxcb1"} <= set(words)  # which the others bring


def test_a_picture_is_drawn_off_screen_where_there_is_none(linux):
    do_without_display()
    assert os.environ["QT_QPA_PLATFORM"] == "offscreen"


def test_a_picture_without_qts_own_libraries_is_refused(linux):
    linux.setattr(display, "_is_there", lambda library: library != "libGL.so.1")
    with pytest.raises(InputError, match="libgl1"):
        do_without_display()


@ONLY_LINUX
@pytest.mark.parametrize("shown", ["", NOBODY])
def test_a_window_without_a_display_is_refused_with_2_and_one_line(shown):
    unset = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY")
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run(
        [sys.executable, "-m", "kvviz"],
        cwd=ROOT, env={**kept, "DISPLAY": shown}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("kvviz: ")
    assert done.stderr.count("\n") == 1
