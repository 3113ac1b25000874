import json
import os
import struct

import pytest
from answers import ask
from model_folders import INDEX, KEY, LLAMA, SINGLE, tensors_of, with_config, write_folder
from tokenizer_files import NEVER_ENDS, PANICS_AT_LOAD, byte_level, raw_tokenizer, write_json
from weight_files import with_header

from kvviz.engine.folder import open_folder

SHORT = ("--max-new-tokens", 4)
HEADER_KEY = "model.layers.0.mlp.up_proj.weight"


def replaced(name, data):
    return lambda folder: (folder / name).write_bytes(data)


def removed(*names):
    def spoil(folder):
        for name in names:
            (folder / name).unlink()

    return spoil


def header(change):
    def spoil(folder):
        path = folder / SINGLE
        path.write_bytes(with_header(path.read_bytes(), change))

    return spoil


def tensors(change):
    def spoil(folder):
        found = tensors_of()
        change(found)
        write_folder(folder, tensors=found, tokenizer=False)

    return spoil


def sharded(change):
    def spoil(folder):
        (folder / SINGLE).unlink()
        write_folder(folder, shards=3, tokenizer=False)
        change(folder)

    return spoil


def index(change):
    def spoil(folder):
        found = json.loads((folder / INDEX).read_text())
        change(found)
        (folder / INDEX).write_text(json.dumps(found))

    return sharded(spoil)


def config(**changes):
    return lambda folder: with_config(folder, **changes)


def longer(data):
    return lambda folder: (folder / SINGLE).write_bytes((folder / SINGLE).read_bytes() + data)


def shorter(folder):
    (folder / SINGLE).write_bytes((folder / SINGLE).read_bytes()[:-10])


def pipe(name):
    def spoil(folder):
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return spoil


def link_out(name):
    def spoil(folder):
        (folder / name).rename(folder.parent / "elsewhere")
        (folder / name).symlink_to(folder.parent / "elsewhere")

    return spoil


def only(name, data=b"PK\x03\x04"):
    def spoil(folder):
        (folder / SINGLE).unlink()
        (folder / name).write_bytes(data)

    return spoil


def index_of_part(name):
    return index(lambda found: found["weight_map"].update({KEY: name}))


def set_entry(**parts):
    return header(lambda found: found[HEADER_KEY].update(parts))


def with_tokenizer(text):
    return lambda folder: (folder / "tokenizer.json").write_text(text, encoding="utf-8")


def wordy(folder):
    write_json(folder / "tokenizer.json", json.loads(byte_level().to_str()))
    with_config(folder, vocab_size=200)
    found = tensors_of(LLAMA | {"vocab_size": 200})
    write_folder(folder, LLAMA | {"vocab_size": 200}, found, tokenizer=False)


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"
PAGE = b"<!DOCTYPE html><html><body>Not found"

# by the rows of the reliability table
BAD = {
    "3 no config.json": (removed("config.json"), "No config.json in"),
    "3 says what is there": (removed("config.json"), "it has model.safetensors, tokenizer.json"),
    "4 config.json is a pipe": (pipe("config.json"), "is not a plain file"),
    "4 weights are a pipe": (pipe(SINGLE), "is not a plain file"),
    "4 tokenizer is a pipe": (pipe("tokenizer.json"), "is not a plain file"),
    "8 config.json is empty": (replaced("config.json", b""), "is empty"),
    "9 config.json is no JSON": (replaced("config.json", b'{\n "a":,'), "line 2, column 6"),
    "27 unknown family": (config(model_type="odd"), "llama"),
    "28 encoder": (config(model_type="bert"), "bert"),
    "29 code in the folder": (config(auto_map={"AutoModel": "x.Y"}), "never runs it"),
    "34 only pickles": (only("pytorch_model.bin"), "pickle files can run code"),
    "35 pickle renamed": (replaced(SINGLE, b"PK\x03\x04archive/data.pkl"), "pickle can run code"),
    "35 raw pickle renamed": (replaced(SINGLE, b"\x80\x04\x95rest"), "pickle, which can run code"),
    "36 only GGUF": (only("m.gguf"), "GGUF is not supported"),
    "36 GGUF renamed": (replaced(SINGLE, b"GGUF\x03\x00\x00\x00rest"), "GGUF"),
    "37 0 bytes": (replaced(SINGLE, b""), "is empty"),
    "37 7 bytes": (replaced(SINGLE, b"1234567"), "not a safetensors file"),
    "38 header longer than file": (
        replaced(SINGLE, struct.pack("<Q", 5000) + b"{}"),
        "its header alone is 5,000 bytes and the file has 10",
    ),
    "39 header too large": (
        replaced(SINGLE, struct.pack("<Q", 11 * 2**20) + b"{" + bytes(64)),
        "its header is too large",
    ),
    "40 LFS pointer": (replaced(SINGLE, LFS), "run git lfs pull"),
    "40 LFS pointer of a tokenizer": (replaced("tokenizer.json", LFS), "run git lfs pull"),
    "41 web page": (replaced(SINGLE, PAGE), "is a web page"),
    "42 cut short": (shorter, "is cut short"),
    "43 bytes behind the end": (longer(b"more"), "has bytes after its end"),
    "44 overlapping": (set_entry(data_offsets=[0, 1536]), HEADER_KEY),
    "44 inverted": (set_entry(data_offsets=[1536, 0]), HEADER_KEY),
    "44 no offsets": (header(lambda h: h[HEADER_KEY].pop("data_offsets")), HEADER_KEY),
    "45 unknown dtype": (set_entry(dtype="F33"), "stored as F33"),
    "46 narrow dtype": (set_entry(dtype="F8_E4M3"), "stored as F8_E4M3, which is not supported"),
    "48 missing tensors": (
        tensors(lambda t: [t.pop(n) for n in list(t) if "layers.1." in n]),
        "and 4 other tensors",
    ),
    "50 another shape": (config(intermediate_size=25), "is 24 x 16 and should be 25 x 16"),
    "52 ../ in the index": (index_of_part("../x.safetensors"), "outside the folder"),
    "52 absolute path": (index_of_part("/etc/x.safetensors"), "outside the folder"),
    "52 drive letter": (index_of_part("C:\\x.safetensors"), "outside the folder"),
    "53 shard missing": (
        sharded(removed("model-00002-of-00003.safetensors")),
        "shard 2 of 3 is missing",
    ),
    "54 weight_map no map": (
        index(lambda found: found.update(weight_map=[1])),
        "weight_map: expected an object",
    ),
    "55 weights linked out": (link_out(SINGLE), "links outside the folder"),
    "55 config linked out": (link_out("config.json"), "links outside the folder"),
    "55 tokenizer linked out": (link_out("tokenizer.json"), "links outside the folder"),
    "57 no tokenizer": (removed("tokenizer.json"), "give --prompt-ids, or --bytes"),
    "58 tokenizer is no JSON": (with_tokenizer('{\n"a": ,}'), "line 2, column 6"),
    "59 tokenizer panics": (with_tokenizer(PANICS_AT_LOAD), "rejected by the library"),
    "60 tokenizer panics at encode": (
        with_tokenizer(raw_tokenizer(pre_tokenizer={"type": "FixedLength", "length": 0})),
        "rejected by the library",
    ),
    "61 ids beyond the vocabulary": (wordy, "tokenizer and model disagree: 259 > 200"),
    "special tokens' file is no JSON": (replaced("tokenizer_config.json", b"{"), "line 1"),
    "quantised": (config(quantization_config={"bits": 4}), "quantised"),
}


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "model"
    write_folder(made)
    return made


@pytest.mark.timeout(60)
@pytest.mark.parametrize("row", BAD)
def test_a_folder_that_cannot_be_used_is_one_sentence_wherever_it_is_named(
    capsys, folder, tmp_path, row
):
    spoil, said = BAD[row]
    spoil(folder)

    assert said in ask(capsys, "run", "--model", folder, "--prompt", "a cat").sentence
    assert said in ask(capsys, "compare", "--model", folder, "--prompt", "a cat").sentence
    if not row.startswith("57"):  # the window asks whether to feed bytes
        assert said in ask(capsys, folder).sentence
    assert open_folder(write_folder(tmp_path / "good")).has_tokenizer


def test_what_is_no_folder_is_one_sentence(capsys, folder):
    named = ("run", "--prompt", "a", "--model")
    (folder / "m.gguf").write_bytes(b"GGUF\x03")
    other = folder.parent / "other"
    other.mkdir()
    (other / SINGLE).write_bytes((folder / SINGLE).read_bytes())

    assert "was not found" in ask(capsys, *named, folder / "missing").sentence
    assert "GGUF" in ask(capsys, *named, folder / "m.gguf").sentence
    assert "has no config.json beside it" in ask(capsys, *named, other / SINGLE).sentence
    assert "No config.json" in ask(capsys, *named, other).sentence


def test_what_may_not_be_read_is_one_sentence(capsys, folder, monkeypatch):
    plain = os.open

    def refuse(path, *rest, **more):
        if str(path).endswith(SINGLE):
            raise PermissionError(13, "Permission denied", path)
        return plain(path, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)
    assert "Permission denied" in ask(capsys, "run", "--model", folder, "--prompt", "a").sentence


def test_a_text_without_an_end_is_one_sentence(capsys, folder, monkeypatch):
    monkeypatch.setattr("kvviz.engine.file_tokenizer.ENCODE_LIMIT_S", 0.2)
    (folder / "tokenizer.json").write_text(NEVER_ENDS)
    text = ("a" * 22 + "b") * 4
    sentence = ask(capsys, "run", "--model", folder, "--prompt", text).sentence
    assert "given up after 0.2 s" in sentence


def test_more_than_the_free_memory_is_refused_with_the_numbers(capsys, folder, monkeypatch):
    monkeypatch.setattr("kvviz.cli.recording.free_bytes", lambda: 10_000)
    sentence = ask(capsys, "run", "--model", folder, "--prompt", "a").sentence
    assert "weights" in sentence
    assert "may be used of" in sentence


@pytest.mark.parametrize(
    ("flag", "value", "has"),
    [("--layers", 3, 2), ("--heads", 2, 4), ("--positions", "none", "rope")],
)
def test_shape_flags_must_not_contradict_the_folder(capsys, folder, flag, value, has):
    sentence = ask(capsys, "run", "--model", folder, "--prompt", "a", flag, value).sentence
    assert f"{flag} {value} contradicts" in sentence
    assert f"which has {has}" in sentence


def test_ids_need_no_tokenizer_and_bytes_are_for_those_who_ask(capsys, folder):
    (folder / "tokenizer.json").write_text("damaged")
    typed = ask(capsys, "run", "--model", folder, "--prompt-ids", "1,2", *SHORT, "--json").json
    assert typed["prompt_tokens"] == [1, 2]
    (folder / "tokenizer.json").unlink()
    fed = ("run", "--model", folder, "--prompt", "abc", "--bytes", *SHORT, "--json")
    assert ask(capsys, *fed).json["prompt_tokens"] == [97, 98, 99]


def test_bytes_need_a_token_each(capsys, tmp_path):
    config = LLAMA | {"vocab_size": 100}
    write_folder(tmp_path, config, tokenizer=False)
    fed = ("run", "--model", tmp_path, "--prompt", "abc", "--bytes")
    assert "fewer than there are bytes" in ask(capsys, *fed).sentence
