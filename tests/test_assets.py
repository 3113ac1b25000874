"""Shipped files are found the same way from a checkout and from an installed wheel."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kvviz.assets import assets_dir

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ("fonts/Inter-Regular.otf", "fonts/OFL.txt", "icons/logo.svg", "icons/play.svg")


@pytest.mark.parametrize("name", SHIPPED)
def test_found_here(name):
    assert (assets_dir() / name).is_file()


@pytest.mark.timeout(300)
def test_found_in_a_wheel(tmp_path):
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path)]
    subprocess.run([*build, str(ROOT)], check=True, capture_output=True)
    [wheel] = tmp_path.glob("kvviz-*.whl")
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    code = "from kvviz.assets import assets_dir; print(assets_dir())"
    where = subprocess.run(
        [sys.executable, "-c", code],
        cwd=site,
        env={"PYTHONPATH": str(site), "PATH": ""},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    assert Path(where) == site / "kvviz" / "assets"
    assert all((Path(where) / name).is_file() for name in SHIPPED)
