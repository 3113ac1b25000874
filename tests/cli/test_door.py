import json
import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from answers import ask
from configs import LLAMA

from kvviz import __version__

ROOT = Path(__file__).resolve().parents[2]
LARGE = ("torch", "PySide6", "pyqtgraph", "numpy", "rich", "pydantic", "safetensors")


def kvviz(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "kvviz", *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_version_is_one_line(capsys):
    assert ask(capsys, "--version").out == f"kvviz {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["run", "--help"], ["compare", "-h"], ["bench", "--help"]],
)
def test_version_and_help_import_nothing_large(arguments):
    code = (
        "import sys; from kvviz.cli.main import main\n"
        f"code = main({arguments!r})\n"
        f"large = [name for name in {LARGE!r} if name in sys.modules]\n"
        "sys.exit(code or ' '.join(large) or 0)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (found.returncode, found.stderr) == (0, "")
    assert "kvviz" in found.stdout


def test_a_refusal_does_not_wait_for_torch():
    code = (
        "import sys; from kvviz.cli.main import main\n"
        "main(['run', '--prompt-ids', '1', '--layers', '900', '--heads', '900'])\n"
        "sys.exit('torch' in sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert found.returncode == 0
    assert "GiB free" in found.stderr


def test_help_names_every_command_and_the_exit_code(capsys):
    text = ask(capsys, "--help").out

    assert all(f"kvviz {command}" in text for command in ("run", "compare", "bench"))
    assert "exit code 2" in text


def test_info_names_versions_machine_and_settings(capsys):
    text = ask(capsys, "--info").out

    for name in ("kvviz", "python", "torch", "numpy", "platform", "cores", "free memory"):
        assert any(line.startswith(name) for line in text.splitlines())
    assert "settings.json" in text


@pytest.mark.parametrize("file", [None, "run.safetensors"])
def test_no_command_means_the_window(capsys, monkeypatch, tmp_path, make_file, file):
    opened = []
    monkeypatch.setattr(
        "kvviz.cli.window.open_window", lambda path, lesson: opened.append(path) or 7
    )
    path = None if file is None else str(make_file(tmp_path / file))

    assert ask(capsys, *filter(None, [path])).code == 7
    assert opened == [path]


@pytest.mark.parametrize("name", ["config.json", "mistral.json"])
def test_a_config_means_the_window_too(capsys, monkeypatch, tmp_path, name):
    opened = []
    monkeypatch.setattr(
        "kvviz.cli.window.open_window", lambda path, lesson: opened.append(path) or 7
    )
    path = tmp_path / name
    path.write_text(json.dumps(LLAMA))

    assert ask(capsys, path).code == 7
    assert opened == [str(path)]


@pytest.mark.parametrize(
    ("content", "said"),
    [("{", "is not valid JSON"), ("[]", "not a list"), ('{"model_type": "bert"}', "bert")],
)
def test_json_that_is_no_config_opens_nothing(capsys, tmp_path, content, said):
    path = tmp_path / "config.json"
    path.write_text(content)

    assert said in ask(capsys, path).sentence
    assert said in ask(capsys, path, "--screenshot", tmp_path / "a.png").sentence


def test_a_config_is_pictured_on_the_calculators_page(tmp_path):
    path, picture = tmp_path / "config.json", tmp_path / "picture.png"
    path.write_text(json.dumps(LLAMA))

    found = kvviz(str(path), "--screenshot", str(picture), "--size", "1280x720")

    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_picture_is_taken_with_what_was_asked(capsys, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(
        "kvviz.cli.screenshot.take_screenshot", lambda args: asked.append(args) or 0
    )

    ask(
        capsys, "--screenshot", tmp_path / "a.png", "--size", "1280x720", "--theme", "light",
        "--scale", "2", "--zoom", "125", "--at", "5",
    )  # fmt: skip

    [args] = asked
    assert isinstance(args, Namespace)
    assert (args.size, args.theme, args.at) == ((1280, 720), "light", 5)
    assert (args.scale, args.zoom) == (2, 125)


@pytest.fixture
def make_file():
    from safetensors.numpy import save_file

    def make(path):
        save_file({}, path)
        return path

    return make


def test_a_process_exits_with_2_and_no_traceback():
    found = kvviz("run", "--prompt", " ")

    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("kvviz: ")


def test_a_process_prints_nothing_but_json():
    found = kvviz("run", "--prompt-ids", "1,2", "--max-new-tokens", "2", "--json")

    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith('{"prompt_tokens": [1, 2], "tokens": [')


def test_a_run_from_a_file_is_pictured_without_waiting_for_torch(tmp_path):
    run, picture = tmp_path / "run.kvviz", tmp_path / "picture.png"
    kvviz("run", "--prompt-ids", "1,2", "--max-new-tokens", "2", "--trace", str(run))

    found = kvviz(str(run), "--screenshot", str(picture), "--size", "900x700")

    # An interpreter that ends while a thread imports torch would write a traceback.
    assert (found.returncode, found.stdout) == (0, "")
    assert "Traceback" not in found.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full here")
def test_a_full_disk_behind_stdout_is_one_sentence():
    with open("/dev/full", "w", encoding="utf-8") as full:
        found = subprocess.run(
            [sys.executable, "-m", "kvviz", "--version"],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip

    assert found.returncode == 2
    assert found.stderr.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes end otherwise there")
def test_a_reader_who_has_enough_ends_it_quietly():
    reader, writer = os.pipe()
    os.close(reader)
    found = subprocess.run(
        [sys.executable, "-m", "kvviz", "--version"],
        cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writer)

    assert found.stderr == ""
    assert found.returncode == 1


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to send there")
def test_ctrl_c_ends_a_process_with_130(tmp_path):
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job behind & ignores it
        "from kvviz.cli.main import main\n"
        "from kvviz.engine.generate import Generation\n"
        "whole = Generation._step\n"
        "def step(self, cancel):\n"
        "    if self.num_steps == 2: os.kill(os.getpid(), signal.SIGINT)\n"
        "    return whole(self, cancel)\n"
        "Generation._step = step\n"
        "sys.exit(main(['run', '--prompt-ids', '1', '--json', '--trace', sys.argv[1]]))\n"
    )
    path = tmp_path / "run.safetensors"
    found = subprocess.run(
        [sys.executable, "-c", code, path], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (found.returncode, found.stdout, found.stderr) == (130, "", "kvviz: stopped.\n")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="a shell closes it otherwise there")
def test_without_a_stdout_it_ends_well():
    found = subprocess.run(
        ["sh", "-c", f"exec '{sys.executable}' -m kvviz --version >&-"],
        cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip

    assert (found.returncode, found.stderr) == (0, "")
