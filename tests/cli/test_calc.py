"""``kvviz calc`` as it is typed: what it prints, and what it refuses."""

import io
import json
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from answers import ask
from configs import LLAMA, config


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_json_of_a_config(capsys, tmp_path):
    path = write(tmp_path / "config.json", LLAMA)
    found = ask(capsys, "calc", path, "--tokens", 10, "--sequences", 3, "--json").json

    assert found["total_bytes"] == 3 * 10 * 4 * 2 * 32 * 2
    assert (found["k_bytes"], found["state_bytes"]) == (found["total_bytes"] // 2, 0)
    assert found["bytes_per_token"] == found["bytes_per_next_token"] == 512
    assert len(found["layers"]) == 4
    assert "head_dim 16: hidden_size / num_attention_heads" in found["assumptions"]
    assert ask(capsys, "calc", tmp_path, "--tokens", 10, "--sequences", 3, "--json").json == found


def test_the_tutorials_example_from_bare_numbers(capsys):
    numbers = ("--layers", 32, "--kv-heads", 32, "--head-dim", 128, "--kv-dtype", "bf16")

    assert ask(capsys, "calc", *numbers, "--json").json["total_bytes"] == 2**31
    assert ask(capsys, "calc", *numbers).out.splitlines()[2].split()[1:3] == ["2.00", "GiB"]


def test_a_preset_with_an_engine_and_memory(capsys):
    asked = ("Meta-Llama-3.1-8B", "--engine", "vllm", "--cache-memory", "2.89GiB", "--json")
    found = ask(capsys, "calc", *asked).json

    assert abs(found["num_blocks"] - 1478) <= 4
    assert found["block_size"] == 16


def test_types_apart_and_llama_cpps_view(capsys):
    types = ("--k-dtype", "iq4_nl", "--v-dtype", "f16", "--engine", "llama.cpp")
    found = ask(capsys, "calc", "meta-llama-3.1-8b", "--tokens", 1024, *types, "--json").json

    assert (found["k_bytes"], found["v_bytes"]) == (18 * 2**20, 64 * 2**20)


def test_engines_own_choices(capsys):
    asked = ("Qwen3.5-27B", "--tokens", 100, "--json", "--engine")
    vllm = [ask(capsys, "calc", *asked, "vllm", *more).json["state_bytes"]
            for more in ((), ("--mamba-cache-mode", "none"))]  # fmt: skip
    llama = [ask(capsys, "calc", *asked, "llama.cpp", "--sequences", 3, *more).json["k_bytes"]
             for more in ((), ("--no-kv-unified",))]  # fmt: skip

    assert vllm[0] == 2 * vllm[1]
    assert (512 * llama[1], llama[1]) == (768 * llama[0], 3 * 256 * 16 * 4 * 256 * 2)


def test_standard_input(capsys, monkeypatch):
    data = io.BytesIO(json.dumps(LLAMA).encode())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=data))

    assert ask(capsys, "calc", "-", "--tokens", 1, "--json").json["total_bytes"] == 512


def test_text_and_markdown_for_people(capsys):
    text = ask(capsys, "calc", "Qwen3.5-27B", "--tokens", 24576).out
    pasted = ask(capsys, "calc", "Qwen3.5-27B", "--tokens", 24576, "--markdown").out

    for line in ("48 layers recurrent: 48 x 1 state x", "16 layers full: 16 x 24,576 cells"):
        assert line in text
        assert line in pasted
    assert pasted.startswith("**KV cache of Qwen3.5-27B: 1 sequence of 24,576 tokens")
    assert max(map(len, text.splitlines())) < 160
    assert re.search(r"^total +1\.64 GiB = 1\.76 GB", text, re.MULTILINE)


def test_presets_are_listed(capsys):
    names = ask(capsys, "calc", "--presets").out.splitlines()

    assert "DeepSeek-V3.2" in names
    listed = ask(capsys, "calc", "--presets", "--json").json
    assert [entry["name"] for entry in listed] == names
    assert ask(capsys, "calc", "GPT-oss", "--presets").out.split() == [
        "gpt-oss-120b",
        "gpt-oss-20b",
    ]


def test_weights_come_from_an_index(capsys, tmp_path):
    path = write(tmp_path / "config.json", LLAMA)
    index = write(tmp_path / "index.json", {"metadata": {"total_size": 123_456}})
    asked = ("--memory", "1MB", "--allowance", 0, "--index", index, "--json")

    found = ask(capsys, "calc", path, *asked).json
    assert (found["weights_bytes"], found["cache_memory_bytes"]) == (123_456, 876_544)
    assert found["max_tokens"] == 876_544 // 512


def test_counted_weights_and_hardware(capsys):
    asked = ("--memory", "80GiB", "--hardware", "H100-SXM", "--json")
    found = ask(capsys, "calc", "Meta-Llama-3.1-8B", *asked).json

    assert found["weights_bytes"] == 2 * 8_030_261_248
    assert found["larger"] == "model"
    assert found["work"]["itl_seconds"] > 15e9 / 3.35e12


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Which model?"),
        (("nosuch",), "no file here and no preset"),
        (("no/such/config.json",), "does not exist"),
        (("Qwen3-8B", "--layers", "2"), "two models"),
        (("--layers", "2", "--kv-heads", "2"), "need all of"),
        (("--layers", "0", "--kv-heads", "2", "--head-dim", "8"), "layers must be between 1"),
        (("Qwen3-8B", "--tokens", "0"), "tokens must be between 1"),
        (("Qwen3-8B", "--tokens", "-5"), "--tokens: must be a whole number"),
        (("Qwen3-8B", "--tokens", "9" * 5000), "must be a whole number"),
        (("Qwen3-8B", "--tokens", "1.5"), "must be a whole number"),
        (("Qwen3-8B", "--sequences", "0"), "sequences must be between 1"),
        (("Qwen3-8B", "--tp", "0"), "GPUs must be between 1"),
        (("Qwen3-8B", "--tp", "3"), "query heads cannot be divided over 3"),
        (("Qwen3-8B", "--block-size", "0"), "block size must be between 1"),
        (("Qwen3-8B", "--ubatch", "0"), "ubatch must be between 1"),
        (("Qwen3-8B", "--batched-tokens", "0"), "batched tokens must be between 1"),
        (("Qwen3-8B", "--max-model-len", "0"), "max model length must be between 1"),
        (("Qwen3-8B", "--parameters", "0"), "parameters must be between 1"),
        (("Qwen3-8B", "--memory", "0"), "memory must be between 1"),
        (("Qwen3-8B", "--cache-memory", "0"), "memory must be between 1"),
        (("Qwen3-8B", "--kv-dtype", "int3"), "dtype 'int3' is not known"),
        (("Qwen3-8B", "--engine", "orca"), "--engine: invalid choice"),
        (("Qwen3-8B", f"--engine={'9' * 5000}"), "999... (choose from 'exact'"),
        (("Qwen3-8B", "--tokens=--"), "--tokens: '--' is no value"),
        (("Qwen3-8B", "--kv-dtype=--"), "--kv-dtype: '--' is no value"),
        (("Qwen3-8B", "--tokens=١٢٨"), "must be a whole number"),
        (("Qwen3-8B", "--tokens="), "must be a whole number"),
        (("Qwen3-8B", "--memory", "much"), "'much' is not a size"),
        (("Qwen3-8B", "--memory", "1GiB", "--cache-memory", "1GiB"), "two limits"),
        (
            ("phi-2", "--kv-dtype", "int8:256", "--tokens", "1", "--tp", "32"),
            "do not fill a head in a row of K",
        ),
        (("Qwen3-8B", "--source-tokens", "5"), "attends to no source"),
        (("Qwen3-8B", "--json", "--markdown"), "not allowed with"),
        (("Qwen3-8B", "--hardware", "abacus"), "'abacus' is not known"),
        (("Qwen3-8B", "--index", "no/such"), "does not exist"),
        (("Qwen3-8B", "--slots", "4"), "Slots are llama.cpp's"),
    ],
)
def test_a_question_that_cannot_be_answered(capsys, options, said):
    found = ask(capsys, "calc", *options)

    assert said in found.sentence
    assert found.out == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("{not json", "line 1, column 2"),
        ("[]", "expected an object"),
        ('{"model_type": "llama", "model_type": "llama"}', "key model_type appears twice"),
        ('{"model_type": "llama", "num_hidden_layers": NaN}', "num_hidden_layers must be a finite"),
        ('{"a": ' * 100_000, "nested too deeply"),
        (json.dumps(LLAMA).encode("utf-16").decode("latin-1"), "UTF-8"),
        (config(num_hidden_layers="4"), "num_hidden_layers must be an integer, not text"),
        (config(num_hidden_layers=True), "num_hidden_layers must be an integer, not true"),
        (config(model_type="bert"), "is an encoder"),
        (config(model_type="plain_new"), "'plain_new' is not known"),
        (config(hidden_size=65), "is not divisible by num_attention_heads"),
    ],
)
@pytest.mark.parametrize("shown", [(), ("--json",), ("--markdown",)])
def test_a_config_that_cannot_be_read(capsys, tmp_path, content, said, shown):
    path = write(tmp_path / "config.json", content)
    found = ask(capsys, "calc", path, *shown)

    assert said in found.sentence
    assert str(path) in found.err
    assert found.out == ""


def test_a_folder_without_a_config_says_what_it_has(capsys, tmp_path):
    write(tmp_path / "notes.txt", "")

    assert "no config.json in" in ask(capsys, "calc", tmp_path).sentence
    assert "which has notes.txt" in ask(capsys, "calc", tmp_path).sentence


def test_no_large_library_is_imported(tmp_path):
    path = write(tmp_path / "config.json", LLAMA)
    code = (
        "import sys\n"
        "for name in ('torch', 'PySide6', 'numpy', 'pydantic', 'rich'): sys.modules[name] = None\n"
        "from kvviz.cli.main import main\n"
        f"sys.exit(main(['calc', {str(path)!r}, '--json', '--memory', '1GiB']))\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["max_tokens"] > 0
