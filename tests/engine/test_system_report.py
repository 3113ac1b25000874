import subprocess
import sys

from model_folders import write_folder

from kvviz import __version__
from kvviz.engine import system_report as module
from kvviz.engine.system_report import package_version, settings_path, system_report


def test_names_every_library_machine_and_settings(tmp_path, monkeypatch):
    monkeypatch.delenv("KVVIZ_SETTINGS", raising=False)
    monkeypatch.setattr(module, "user_config_dir", lambda *_, **__: str(tmp_path / "Ünï code"))
    report = system_report()
    lines = dict(line.split("  ", 1) for line in report.splitlines())
    assert lines["kvviz"].strip() == __version__
    assert {*module.PACKAGES, "python", "platform", "cores", "free memory", "settings"} < {*lines}
    assert lines["settings"].strip() == str(settings_path())
    assert str(tmp_path) in report
    # Two columns: the second starts at the same place in every line.
    starts = {line.index(line.split("  ", 1)[1].lstrip()) for line in report.splitlines()}
    assert len(starts) == 1


def test_settings_can_be_named(tmp_path, monkeypatch):
    monkeypatch.setenv("KVVIZ_SETTINGS", str(tmp_path / "mine.json"))
    assert settings_path() == tmp_path / "mine.json"


def test_says_what_is_not_installed():
    assert package_version("no-such-package-of-kvviz") == "not installed"


def test_imports_neither_torch_nor_qt():
    code = (
        "import sys, kvviz.engine.system_report as s; s.system_report();"
        "print([m for m in ('torch', 'PySide6', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_built_in_model_is_named_with_its_size(tmp_path, monkeypatch):
    def line():
        [found] = [each for each in system_report().splitlines() if each.startswith("built-in")]
        return found.removeprefix("built-in model").strip()

    monkeypatch.setattr("kvviz.assets.built_in_model", lambda: tmp_path / "tiny")
    assert line() == "none"
    write_folder(tmp_path / "tiny")
    assert line() == "tiny: llama, 8,096 parameters, 31.6 KiB of float32"
    (tmp_path / "tiny" / "model.safetensors").write_bytes(b"")
    assert "is empty" in line()
