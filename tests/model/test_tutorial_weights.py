import os
import pickle
import subprocess
import sys

import pytest
import torch
from weight_files import tutorial_state, with_header, write_state

from kvviz.model.tutorial_weights import tutorial_shape
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import ModelShape, Positions

SIZES = {"vocab_size": 20, "hidden_size": 16, "num_heads": 4, "num_layers": 3}
STATE = tutorial_state(**SIZES)
KEY = "blocks.1.attn.k_proj.weight"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "weights.safetensors"


def refused(path, heads=4):
    with pytest.raises(InputError) as caught:
        tutorial_shape(str(path), heads)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    assert path.name in message
    return message


def refused_bytes(path, data):
    path.write_bytes(data)
    return refused(path)


def changed(path, change):
    write_state(path, STATE)
    return refused_bytes(path, with_header(path.read_bytes(), change))


@pytest.mark.parametrize("heads", [1, 2, 4, 16])
def test_everything_but_the_heads_is_read_off_the_file(path, heads):
    shape = tutorial_shape(write_state(path, STATE), heads)
    assert shape == ModelShape(3, heads, heads, 16 // heads, 20, Positions.NONE)


@pytest.mark.parametrize("kv_heads", [1, 2])
def test_kv_heads_are_the_rows_of_the_key_projection(path, kv_heads):
    state = {
        name: weight[: kv_heads * 4] if "k_proj" in name or "v_proj" in name else weight
        for name, weight in STATE.items()
    }
    assert tutorial_shape(write_state(path, state), 4).num_kv_heads == kv_heads


def test_a_name_with_spaces_and_letters_of_any_script_is_read(tmp_path):
    path = tmp_path / "mes poids 猫 🐈.safetensors"
    assert tutorial_shape(write_state(path, STATE), 4).num_layers == 3


def test_no_torch_is_imported():
    code = "import sys, kvviz.model.tutorial_weights; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("heads", [3, 0, -1, 32])
def test_heads_that_do_not_divide_are_named(path, heads):
    write_state(path, STATE)
    assert f"hidden size 16, which {heads} heads do not divide" in refused(path, heads)


# The tutorial's model, but not quite


def test_missing_tensors_are_counted_and_the_first_named(path):
    kept = {name: w for name, w in STATE.items() if "ffn_norm" not in name}
    write_state(path, kept)
    message = refused(path)
    assert "lacks 6 of the tutorial model's tensors" in message
    assert "blocks.0.ffn_norm.bias" in message
    assert message.count("ffn_norm") == 5


def test_a_missing_layer_is_missed(path):
    write_state(path, {n: w for n, w in STATE.items() if not n.startswith("blocks.1.")})
    assert "lacks 16" in refused(path)


def test_tensors_the_model_does_not_have_are_refused(path):
    write_state(path, STATE | {"pos_emb.weight": torch.zeros(4, 16)})
    assert "does not have (pos_emb.weight)" in refused(path)


def test_another_model_says_what_it_has(path):
    write_state(path, {"model.embed_tokens.weight": torch.zeros(4, 16)})
    message = refused(path)
    assert "has no tensor token_emb.weight" in message
    assert "model.embed_tokens.weight" in message


def test_a_feed_forward_of_another_width_is_refused_with_both_numbers(path):
    state = {
        name: weight[:32] if "ffn.0" in name else weight[:, :32] if "ffn.2.w" in name else weight
        for name, weight in STATE.items()
    }
    write_state(path, state)
    message = refused(path)
    assert "feed-forward of 32" in message
    assert "= 64" in message


def test_a_tensor_of_another_size_is_refused_with_both_sizes(path):
    write_state(path, STATE | {"lm_head.weight": torch.zeros(21, 16)})
    assert "lm_head.weight is 21 x 16 and should be 20 x 16" in refused(path)


@pytest.mark.parametrize("width", [0, 6])
def test_keys_that_are_no_number_of_heads_are_refused(path, width):
    state = {n: w[:width] if "k_proj" in n or "v_proj" in n else w for n, w in STATE.items()}
    write_state(path, state)
    message = refused(path)
    assert "k_proj.weight is 0 x 16, not a matrix" in message or "keys 6 wide" in message


def test_a_vector_where_a_matrix_belongs_is_refused(path):
    write_state(path, STATE | {"token_emb.weight": torch.zeros(16)})
    assert "token_emb.weight is 16, not a matrix" in refused(path)


def test_too_many_layers_are_refused_by_the_shape(path):
    write_state(path, STATE | {"blocks.99999.x": torch.zeros(1)})
    with pytest.raises(InputError, match="layers must be between 1 and 1,024, not 100,000"):
        tutorial_shape(str(path), 4)


# Foreign files, known by their content


def test_pickle_is_refused_by_content_and_never_loaded(path):
    class Bomb:
        def __reduce__(self):
            return os.abort, ()

    for protocol in range(2, 6):
        assert "pickle" in refused_bytes(path, pickle.dumps(Bomb(), protocol))
    torch.save(STATE, path)
    assert "pickle can run code" in refused(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"1234567", "is not a safetensors file"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "git lfs pull"),
        (b"<!DOCTYPE html><html></html>", "is a web page"),
        (b"  <html>404</html>", "is a web page"),
        (b"GGUF\x03\x00\x00\x00" + bytes(64), "GGUF"),
        ((11 * 2**20).to_bytes(8, "little") + b"{" + bytes(64), "its header is too large"),
        ((4096).to_bytes(8, "little") + b"{" + bytes(64), "is cut short"),
        ((2).to_bytes(8, "little") + b"{}", "has no tensor token_emb.weight"),
        ((3).to_bytes(8, "little") + b"{,}", "is damaged"),
        ((2).to_bytes(8, "little") + b"{\xff", "is damaged"),
        ((100_000).to_bytes(8, "little") + b'{"a":' * 20_000, "is damaged"),
    ],
)
def test_what_is_no_weights_file_is_named(path, data, message):
    assert message in refused_bytes(path, data)


def test_what_cannot_be_read_is_named(tmp_path):
    assert "does not exist" in refused(tmp_path / "nothing.safetensors")
    assert "folder" in refused(tmp_path) or "not a plain file" in refused(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert "not a plain file" in refused(tmp_path / "pipe")


# Damaged files


def test_a_file_cut_short_says_what_is_there(path):
    write_state(path, STATE)
    data = path.read_bytes()
    assert "is cut short" in refused_bytes(path, data[:-100])
    assert "has bytes after its end" in refused_bytes(path, data + b"x")


@pytest.mark.parametrize(
    "change",
    [
        lambda h: h.update({KEY: 3}),
        lambda h: h[KEY].pop("dtype"),
        lambda h: h[KEY].update(shape="4x4"),
        lambda h: h[KEY].update(shape=[-16, -16]),
        lambda h: h[KEY].update(shape=[16.0, 16]),
        lambda h: h[KEY].update(shape=[True, 16]),
        lambda h: h[KEY].update(data_offsets=[0]),
        lambda h: h[KEY].update(data_offsets=[None, 4]),
        lambda h: h[KEY].update(data_offsets=list(reversed(h[KEY]["data_offsets"]))),
        lambda h: h[KEY].update(shape=[16, 17]),
        lambda h: h[KEY].update(dtype="F64"),
    ],
)
def test_an_entry_that_makes_no_sense_is_named(path, change):
    message = changed(path, change)
    assert "is damaged" in message
    assert KEY in message


@pytest.mark.parametrize("dtype", ["F33", "F4", "F8_E4M3", "I64"])
def test_another_dtype_is_refused_by_name(path, dtype):
    message = changed(path, lambda h: h[KEY].update(dtype=dtype))
    assert f"{KEY} is stored as {dtype}, which is not supported" in message


def test_a_tensor_named_twice_is_refused(path):
    write_state(path, STATE)
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    first = data[8 : 8 + length].index(b'"blocks')
    entry = data[8 + first : 8 + data[8:].index(b"}", first) + 1]
    header = b"{" + entry + b"," + data[9 : 8 + length]
    doubled = len(header).to_bytes(8, "little") + header + data[8 + length :]
    assert "is damaged" in refused_bytes(path, doubled)


def test_too_many_tensors_are_refused_before_they_are_looked_at(path):
    names = ",".join(f'"{i}":0' for i in range(100_001)).encode()
    header = b"{" + names + b"}"
    assert "100,001 tensors" in refused_bytes(path, len(header).to_bytes(8, "little") + header)
