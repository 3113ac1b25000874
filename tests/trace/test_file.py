import io
import json
import os
import pickle
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load, save

from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelSource, ModelSpec, Sampling, TokenizerKind
from kvviz.trace.file import checksum, is_trace, load_trace, save_trace, trace_bytes
from kvviz.trace.step import StepArrays
from kvviz.trace.trace import COLUMNS

SHAPE = ModelShape(num_layers=3, num_heads=4, num_kv_heads=2, head_dim=8, vocab_size=50)


@pytest.fixture(scope="module")
def saved(make_trace):
    return make_trace(chunks=(2, 1))


@pytest.fixture(scope="module")
def data(saved):
    return trace_bytes(saved)


def assert_same(trace, other):
    assert trace.config == other.config
    assert trace.steps == other.steps
    for name in COLUMNS:
        assert np.array_equal(trace.column(name), other.column(name))
    for layer in range(trace.config.model.shape.num_layers):
        assert np.array_equal(trace.queries(layer), other.queries(layer))
        assert np.array_equal(trace.keys(layer), other.keys(layer))
        assert np.array_equal(trace.values(layer), other.values(layer))
        assert np.array_equal(trace.outputs(layer), other.outputs(layer), equal_nan=True)
    assert np.array_equal(trace.row_steps(), other.row_steps())
    for index in range(len(trace)):
        ours, theirs = trace.logits(index), other.logits(index)
        assert (ours is None) == (theirs is None)
        assert ours is None or np.array_equal(ours, theirs)
    assert trace.tokens == other.tokens


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"chunks": (1, 1, 1)},
        {"layout": LayoutKind.NONE},
        {"layout": LayoutKind.CONCAT, "batch": 16},
        {"chosen": (9,)},
        {"prompt_text": None, "tokenizer": TokenizerKind.IDS},
        {"then": (20, 21), "more": (22, 23, 24), "end_token_ids": (3, 4)},
        {"more": (22, 23)},
        {"dtype": DType.BFLOAT16, "sampling": Sampling(0.7, 5, 0.9, 2**63), "prefill_chunk": 2},
        {"model": ModelSpec(SHAPE, ModelSource.TUTORIAL, 3, "weights/tiny ü.safetensors")},
        {"pieces": lambda token_id: "é\n🙂\0"[token_id % 4 :]},
        {"pieces": lambda token_id: ""},
        {"prompt_text": "lone \udc80 half, and \N{SNOWMAN}"},
    ],
)
def test_a_trace_comes_back_equal_in_everything(make_trace, tmp_path, how):
    trace = make_trace(**how)
    path = tmp_path / "run.safetensors"

    save_trace(trace, path)

    assert_same(trace, load_trace(path))
    assert is_trace(path)
    assert os.listdir(tmp_path) == ["run.safetensors"]


def test_a_prefill_that_was_cut_short_comes_back(make_trace, tmp_path):
    trace = make_trace(chunks=(2,))
    cut = type(trace)(trace.config)
    arrays = StepArrays(
        *(np.stack([read(n)[:, :2] for n in range(3)]) for read in (trace.queries, trace.keys)),
        np.stack([trace.values(n)[:, :2] for n in range(3)]),
        None,
    )
    cut.append(trace.steps[0], arrays)
    path = tmp_path / "cut.safetensors"

    save_trace(cut, path)

    assert_same(cut, load_trace(path))
    assert load_trace(path).generated_ids == []


def test_a_file_is_ordinary_safetensors(data):
    tensors = load(data)

    assert tensors["steps"].dtype == np.int64
    assert tensors["q"].shape == (3, 4, 5, 8)
    assert tensors["v"].shape == (3, 2, 5, 8)


def test_the_header_stays_small_for_a_long_prompt(make_trace):
    long = make_trace(prompt=(5,) * 4096, prompt_text="a" * 4096, max_seq_len=5000)

    assert int.from_bytes(trace_bytes(long)[:8], "little") < 4096


def test_a_reopened_trace_needs_no_torch(data, tmp_path):
    path = tmp_path / "run.safetensors"
    path.write_bytes(data)
    code = (
        "import sys; from kvviz.trace.file import load_trace; load_trace(sys.argv[1]); "
        "sys.exit(any(m in sys.modules for m in ('torch', 'PySide6')))"
    )

    assert subprocess.run([sys.executable, "-c", code, path], check=False).returncode == 0


def test_nothing_is_written_for_a_run_without_steps(make_trace, tmp_path):
    empty = type(make_trace())(make_trace().config)

    with pytest.raises(InputError, match="nothing to export yet"):
        save_trace(empty, tmp_path / "run.safetensors")

    assert os.listdir(tmp_path) == []


def assert_refused_or_same(path, saved):
    try:
        found = load_trace(path)
    except InputError:
        return
    # Blanks behind the header may turn into other blanks; nothing that is read may change.
    assert_same(saved, found)


def refusal(path):
    start = time.perf_counter()
    with pytest.raises(InputError) as caught:
        load_trace(path)
    assert time.perf_counter() - start < 2
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"1234567", "not a safetensors file"),
        (b"hello, this is a text file", "not a safetensors file"),
        (pickle.dumps({"a": 1}, protocol=2), "pickle"),
        (pickle.dumps({"a": 1}, protocol=5), "pickle"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
        (b"\n <!DOCTYPE html><html><body>404</body></html>", "web page"),
        (b"GGUF\x03\0\0\0", "GGUF"),
        (b"\x1f\x8b\x08\0", "gzip"),
        ((2**40).to_bytes(8, "little") + b"{}", "not a safetensors file"),
        ((900).to_bytes(8, "little") + b"{}", "cut short"),
        ((2).to_bytes(8, "little") + b"{}", "not a kvviz trace"),
        ((4).to_bytes(8, "little") + b"{]  ", "header cannot be read"),
        ((200_001).to_bytes(8, "little") + b'{"a":' + b"[" * 199_996, "header cannot be read"),
    ],
)
def test_a_foreign_file_is_named_by_its_content(tmp_path, content, said):
    path = tmp_path / "run.safetensors"
    path.write_bytes(content)

    assert said in refusal(path)


def test_a_zip_of_pickles_is_refused(tmp_path):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("data.pkl", "x")
    path = tmp_path / "model.safetensors"
    path.write_bytes(archive.getvalue())

    assert "pickle can run code" in refusal(path)


def test_another_programs_safetensors_are_named(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(save({"blocks.0.attn.q_proj.weight": np.zeros((2, 2), np.float32)}))

    assert "blocks.0.attn.q_proj.weight" in refusal(path)
    assert not is_trace(path)


@pytest.mark.parametrize("name", ["", "missing", "nul\0byte", "folder", "n" * 300])
def test_what_is_no_file_is_refused(tmp_path, name):
    (tmp_path / "folder").mkdir()

    refusal(f"{tmp_path}/{name}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system here")
def test_a_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    assert "not a plain file" in refusal(tmp_path / "pipe")


def test_a_link_to_a_trace_opens(saved, data, tmp_path):
    (tmp_path / "run").write_bytes(data)
    (tmp_path / "link").symlink_to(tmp_path / "run")

    assert_same(saved, load_trace(tmp_path / "link"))


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_refused(data, tmp_path, part):
    path = tmp_path / "run.safetensors"
    path.write_bytes(data[: int(len(data) * part)])

    refusal(path)


def test_extra_bytes_are_refused(data, tmp_path):
    path = tmp_path / "run.safetensors"
    path.write_bytes(data + b"\0")

    assert "bytes after its end" in refusal(path)


@settings(max_examples=300, deadline=None)
@given(edits=st.lists(st.tuples(st.integers(0), st.integers(1, 255)), min_size=1, max_size=4))
def test_no_flipped_byte_goes_unseen(saved, data, tmp_path_factory, edits):
    damaged = bytearray(data)
    for place, change in edits:
        damaged[place % len(data)] ^= change
    path = tmp_path_factory.getbasetemp() / "flipped.safetensors"
    path.write_bytes(damaged)

    assert_refused_or_same(path, saved)


@settings(max_examples=200, deadline=None)
@given(edit=st.data())
def test_no_flipped_byte_of_the_header_goes_unseen(saved, data, tmp_path_factory, edit):
    length = 8 + int.from_bytes(data[:8], "little")
    place = edit.draw(st.integers(0, length - 1))
    damaged = bytearray(data)
    damaged[place] = edit.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "header.safetensors"
    path.write_bytes(damaged)

    assert_refused_or_same(path, saved)


@pytest.mark.parametrize(
    "change",
    [
        {"max_seq_len": 10**15},
        {"max_seq_len": 2},
        {"max_seq_len": "64"},
        {"max_new_tokens": 0},
        {"batch": True},
        {"dtype": "float31"},
        {"sampling": None},
        {"layout": {"kind": "heap", "kv_dtype": "float32"}},
        {"model": {"shape": {"num_layers": 2}}},
        {"model": {"shape": {"num_heads": 10**30}}},
        {"device": 5},
    ],
)
def test_a_config_that_lies_is_refused(data, tmp_path, change):
    length = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + length])["__metadata__"]
    metadata["config"] = json.dumps(json.loads(metadata["config"]) | change)
    # Signed anew, as another program would: the checksum is right and the content is not.
    metadata["crc32"] = checksum(metadata, load(data))
    path = tmp_path / "run.safetensors"
    path.write_bytes(save(load(data), metadata))

    refusal(path)
