import os
import subprocess
import sys

import pytest
import torch
from model_folders import LLAMA, SINGLE, tensors_of, with_config, write_folder
from tokenizer_files import byte_level, write_json, write_tokenizer

from kvviz.engine.folder import folder_of, has_built_in, open_built_in, open_folder
from kvviz.sizing.errors import InputError
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec, TokenizerKind


@pytest.fixture
def folder(tmp_path):
    return write_folder(tmp_path / "model")


def test_a_folder_is_a_model_with_its_tokenizer_and_end(folder):
    opened = open_folder(folder)
    shape = opened.choice.spec.shape
    assert opened.choice == ModelChoice(
        ModelSpec(shape, ModelSource.FOLDER, path=folder), TokenizerKind.FILE, folder, (260,)
    )
    assert (shape.num_layers, shape.num_kv_heads, shape.context) == (2, 2, 128)
    assert shape.parameters == sum(tensor.numel() for tensor in tensors_of().values())
    assert opened.num_bytes == 4 * shape.parameters
    assert opened.summary == "model: llama, 8,096 parameters, 31.6 KiB of float32"
    assert opened.notes == ()


def test_a_relative_name_and_a_file_of_it_are_the_folder(folder, monkeypatch):
    monkeypatch.chdir(os.path.dirname(folder))
    for name in ("model", "model/", "./model", f"model/{SINGLE}", "model/config.json"):
        assert open_folder(name).choice.spec.path == folder


def test_only_files_of_a_model_stand_for_its_folder(folder, tmp_path):
    (tmp_path / "model" / "notes.txt").write_text("")
    (tmp_path / "run.safetensors").write_bytes(b"")
    assert folder_of(folder) == folder
    assert folder_of(os.path.join(folder, "shard.safetensors")) == folder
    assert folder_of(os.path.join(folder, "notes.txt")) is None
    assert folder_of(str(tmp_path / "run.safetensors")) is None
    assert folder_of(str(tmp_path / "missing")) is None


def test_without_a_tokenizer_ids_are_typed_or_bytes_fed(tmp_path):
    opened = open_folder(write_folder(tmp_path, tokenizer=False))
    assert not opened.has_tokenizer
    assert opened.choice.tokenizer is TokenizerKind.IDS
    assert opened.choice.end_token_ids == (260,)
    assert opened.can_take_bytes
    assert opened.with_bytes().tokenizer is TokenizerKind.BYTES
    assert opened.with_bytes().tokenizer_path is None


def test_too_few_tokens_for_bytes_is_refused(tmp_path):
    config = LLAMA | {"vocab_size": 255}
    opened = open_folder(write_folder(tmp_path, config, tokenizer=False))
    assert not opened.can_take_bytes
    with pytest.raises(InputError, match="fewer than there are bytes"):
        opened.with_bytes()


@pytest.mark.parametrize(
    ("config", "generation", "tokenizer", "ends"),
    [
        ({"eos_token_id": None}, None, None, ()),
        ({"eos_token_id": [7, 3, 7]}, None, None, (3, 7)),
        ({}, {"eos_token_id": 5}, None, (5,)),
        ({}, {"temperature": 1.0}, None, (260,)),
        ({"eos_token_id": [-1, 261, True, "x", 4]}, None, None, (4,)),
        ({"eos_token_id": 7}, None, {"eos_token": "</s>"}, (7, 260)),
        ({"eos_token_id": 7}, None, {"eos_token": {"content": "</s>"}}, (7, 260)),
        ({"eos_token_id": 7}, None, {"eos_token": "<none>"}, (7,)),
    ],
)
def test_every_end_token_is_found(tmp_path, config, generation, tokenizer, ends):
    folder = write_folder(tmp_path)
    with_config(tmp_path, **config)
    if generation is not None:
        write_json(tmp_path / "generation_config.json", generation)
    if tokenizer is not None:
        write_json(tmp_path / "tokenizer_config.json", tokenizer)
    assert open_folder(folder).choice.end_token_ids == ends


def test_tensors_that_are_no_part_of_it_are_noted(tmp_path):
    extra = {f"vision.{index}.weight": torch.ones(1) for index in range(7)}
    masks = {"model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(2)}
    opened = open_folder(write_folder(tmp_path / "m", tensors=tensors_of() | extra | masks))
    [note] = opened.notes
    assert note.startswith("m: 7 tensors are not part of a llama and are left out (vision.0.weight")
    assert note.endswith(", …).")


def test_special_tokens_without_a_vector_are_noted(tmp_path):
    made = byte_level()
    made.add_special_tokens(["<image>"])
    folder = write_folder(tmp_path)
    write_tokenizer(tmp_path, made)
    [note] = open_folder(folder).notes
    assert "has no vectors for <image>" in note


def test_the_built_in_model_has_no_path(folder, tmp_path, monkeypatch):
    for place in ("folder", "tokenizer"):
        monkeypatch.setattr(f"kvviz.engine.{place}.built_in_model", lambda: tmp_path / "model")
    assert has_built_in()
    choice = open_built_in().choice
    assert (choice.spec.source, choice.spec.path) == (ModelSource.BUILT_IN, None)
    assert (choice.tokenizer, choice.tokenizer_path) == (TokenizerKind.FILE, None)


OFFLINE = """
import socket, sys
def refuse(*_, **__): raise AssertionError("a network call")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from kvviz.engine.folder import open_folder
opened = open_folder(sys.argv[1])
assert "torch" not in sys.modules and "transformers" not in sys.modules
from kvviz.cli.main import main
code = main(["run", "--model", sys.argv[1], "--prompt", "a cat", "--max-new-tokens", "2", "--json"])
assert "transformers" not in sys.modules and "huggingface_hub" not in sys.modules
sys.exit(code)
"""


def test_no_code_of_a_folder_is_run_and_nobody_is_called(tmp_path):
    folder = write_folder(tmp_path)
    spy = "open(__file__ + '.ran', 'w')"
    for name in ("modeling_llama.py", "tokenization.py", "__init__.py"):
        (tmp_path / name).write_text(spy)
    template = "{{ cycler.__init__.__globals__.os.mkdir('ran') }}"
    write_json(
        tmp_path / "tokenizer_config.json",
        {"chat_template": template, "auto_map": {"AutoTokenizer": ["tokenization.T", None]}},
    )
    (tmp_path / "chat_template.jinja").write_text(template)
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, folder], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not [name for name in os.listdir(tmp_path) if name.endswith("ran")]
