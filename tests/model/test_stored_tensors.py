import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvviz.model.stored_tensors import StoredTensor, check_float, stored_tensors
from kvviz.sizing.errors import InputError

PLAIN = {
    "b": {"dtype": "F16", "shape": [2, 3], "data_offsets": [8, 20]},
    "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
    "c": {"dtype": "F32", "shape": [0], "data_offsets": [20, 20]},
    "d": {"dtype": "F4", "shape": [4], "data_offsets": [20, 22]},
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


def write(path, header, data_bytes=22):
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(data_bytes))
    return 8 + len(text)


def refused(path, data_bytes=22, **entries):
    write(path, PLAIN | entries, data_bytes)
    with pytest.raises(InputError) as caught:
        stored_tensors(str(path))
    assert str(path) in str(caught.value)
    return str(caught.value)


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def test_every_tensor_has_its_place_in_the_file(path):
    start = write(path, PLAIN | {"__metadata__": {"format": "pt"}})
    found = stored_tensors(str(path))
    assert found.keys() == PLAIN.keys()
    assert found["a"] == StoredTensor(str(path), "F32", (2,), start, 8)
    assert found["b"] == StoredTensor(str(path), "F16", (2, 3), start + 8, 12)
    assert found["c"].num_bytes == 0


def test_no_tensors_are_no_fault_of_the_file(path):
    write(path, {}, 0)
    assert stored_tensors(str(path)) == {}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"dtype": "F32", "shape": [2]}, "the entry of 'a' makes no sense"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [0]}, "makes no sense"),
        (entry("F32", [2], "0", 8), "makes no sense"),
        (entry("F32", [2], True, 8), "makes no sense"),
        (entry("F32", [2], -8, 8), "makes no sense"),
        (entry("F32", [-2], 0, 8), "makes no sense"),
        (entry("F32", 2, 0, 8), "makes no sense"),
        (entry(None, [2], 0, 8), "makes no sense"),
        ([], "makes no sense"),
        (entry("F32", [3], 0, 8), "'a' should take 12 bytes and has 8"),
        (entry("F32", [2], 8, 0), "'a' should take 8 bytes and has -8"),
        (entry("I8", [8], 8, 0), "'a' should take some bytes and has -8"),
        (entry("F33", [2], 0, 8), "a is stored as F33, which is not supported: an unknown dtype"),
        (entry("F32", [3], 0, 12), "'b' overlaps 'a'"),
        (entry("F32", [1], 0, 4), "'b' follows a gap"),
        (entry("F32", [1], 4, 8), "'a' follows a gap"),
    ],
)
def test_an_entry_that_makes_no_sense_is_refused_by_name(path, wrong, said):
    assert said in refused(path, a=wrong)


def test_a_file_cut_short_says_both_sizes(path):
    assert "its tensors take 22 bytes and 21 are there" in refused(path, 21)
    assert "has bytes after its end" in refused(path, 23)


def test_a_name_that_appears_twice_is_refused(path):
    write(path, {})
    text = b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{}}'
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(8))
    with pytest.raises(InputError, match="is damaged"):
        stored_tensors(str(path))


def test_too_many_tensors_are_refused(path, monkeypatch):
    monkeypatch.setattr("kvviz.model.stored_tensors.MAX_TENSORS", 3)
    assert "holds 4 tensors, over 3" in refused(path)


@pytest.mark.parametrize("dtype", ["F4", "F8_E4M3", "I64", "BOOL"])
def test_what_is_no_float_is_there_but_not_for_a_model(path, dtype):
    write(path, {"a": entry(dtype, [4], 0, 4)}, 4)
    found = stored_tensors(str(path))
    with pytest.raises(InputError, match=f"a is stored as {dtype}, which is not supported"):
        check_float("a", found["a"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@given(header=st.dictionaries(st.sampled_from(["a", "b", "__metadata__"]), JSON), cut=st.integers())
@settings(max_examples=60, deadline=None)
def test_whatever_a_header_says_only_our_own_error_leaves(tmp_path_factory, header, cut):
    path = tmp_path_factory.getbasetemp() / "any.safetensors"
    text = json.dumps(PLAIN | header).encode()
    path.write_bytes((len(text) + cut % 3).to_bytes(8, "little") + text + bytes(22))
    with contextlib.suppress(InputError):
        stored_tensors(str(path))


@given(st.binary(max_size=400))
@settings(max_examples=60, deadline=None)
def test_whatever_a_file_holds_only_our_own_error_leaves(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.safetensors"
    path.write_bytes(data)
    with contextlib.suppress(InputError):
        stored_tensors(str(path))
