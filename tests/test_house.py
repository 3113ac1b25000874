"""The rules of the house, kept by its own tools."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "kvviz").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MOST_LINES = 300
PICKLE = re.compile(r"torch\.(load|save|jit|package|export)\b|\bimport pickle\b|\bpickle\.")


def run(*command):
    found = shutil.which(command[0], path=str(Path(sys.executable).parent)) or command[0]
    return subprocess.run(
        [found, *command[1:]], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("mypy",),
        ("lint-imports",),
    ],
    ids=" ".join,
)
@pytest.mark.timeout(300)
def test_tool_finds_nothing(command):
    result = run(*command)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("path", [*SOURCES, *TESTS], ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_holds_one_noun(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_pickle_is_never_loaded():
    users = [path.name for path in SOURCES if PICKLE.search(path.read_text(encoding="utf-8"))]
    assert users == []


def test_ci_calls_the_readmes_test_command():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"```sh\n(.*?)```", readme, re.DOTALL)
    test_command = next(c for c in commands if "pytest" in c).strip().splitlines()[-1]
    assert (ROOT / ".ci/run").read_text(encoding="utf-8").rstrip().endswith(test_command)


@pytest.mark.parametrize(
    ("blocked", "rooms"),
    [
        ("PySide6", ("sizing", "trace", "session", "lessons", "cache", "model", "engine")),
        ("torch", ("sizing", "trace", "session", "lessons", "ui")),
    ],
)
def test_rooms_import_without(blocked, rooms):
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for room in rooms
        for path in sorted((ROOT / "kvviz" / room).rglob("*.py"))
        if path.name != "__init__.py"
    ]
    code = (
        "import importlib, sys\n"
        f"sys.modules[{blocked!r}] = None\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_qt_gives_no_reference_away():
    """PySide6 6.12.0 loses one reference to None a call on Python 3.11, until it aborts."""
    from PySide6.QtGui import QImage, QPainter

    image = QImage(4, 4, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    before = sys.getrefcount(None)
    for _ in range(20_000):
        painter.drawLine(0, 0, 3, 3)
    lost = before - sys.getrefcount(None)
    painter.end()
    assert lost < 100


def test_test_files_have_names_of_their_own():
    names = [path.name for path in TESTS if path.name not in ("conftest.py", "__init__.py")]
    assert len(names) == len(set(names))
