import json
import os

import numpy as np
import pytest
from safetensors.numpy import save_file

from kvviz.model.shards import file_inside, folder_tensors
from kvviz.sizing.errors import InputError

FIRST, SECOND = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
INDEX = "model.safetensors.index.json"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "model"
    made.mkdir()
    return made


def save(path, **tensors):
    save_file({name: np.zeros(size, np.float32) for name, size in tensors.items()}, path)


def index(folder, weight_map):
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))


@pytest.fixture
def sharded(folder):
    save(folder / FIRST, a=2, b=3)
    save(folder / SECOND, c=4)
    index(folder, {"a": FIRST, "b": FIRST, "c": SECOND})
    return folder


def refused(folder):
    with pytest.raises(InputError) as caught:
        folder_tensors(str(folder))
    message = str(caught.value)
    assert str(folder) in message
    assert message.endswith(".")
    return message


def where(folder):
    return {name: os.path.basename(t.path) for name, t in folder_tensors(str(folder)).items()}


def test_one_file(folder):
    save(folder / "model.safetensors", a=2)
    assert where(folder) == {"a": "model.safetensors"}


def test_one_file_of_another_name(folder):
    save(folder / "weights.safetensors", a=2)
    assert where(folder) == {"a": "weights.safetensors"}


def test_several_files_with_an_index(sharded):
    assert where(sharded) == {"a": FIRST, "b": FIRST, "c": SECOND}


def test_one_file_goes_before_an_index(sharded):
    save(sharded / "model.safetensors", a=2)
    assert where(sharded) == {"a": "model.safetensors"}


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ((), "has no model.safetensors (it has nothing)"),
        (("notes.txt", "config.json"), "it has config.json, notes.txt"),
        (("pytorch_model.bin",), "pytorch_model.bin: pickle files can run code"),
        (("a.pt", "b.ckpt"), "a.pt, b.ckpt: pickle files can run code"),
        (("m.gguf",), "GGUF is not supported"),
        (("a.safetensors", "b.safetensors"), "has 2 weights files and no model.safetensors.index"),
    ],
)
def test_a_folder_without_weights_says_what_it_has(folder, made, said):
    for name in made:
        (folder / name).write_bytes(b"x")
    assert said in refused(folder)


@pytest.mark.parametrize(
    "name",
    [
        "../model.safetensors",
        "/etc/model.safetensors",
        "C:model.safetensors",
        "C:\\model.safetensors",
        "..\\model.safetensors",
        "sub/model.safetensors",
        "..",
        "",
        "a\0.safetensors",
    ],
)
def test_an_index_that_points_outside_is_refused_before_opening(sharded, monkeypatch, name):
    save(sharded.parent / "model.safetensors", a=2)
    index(sharded, {"a": name})
    opened = []
    monkeypatch.setattr("kvviz.model.shards.stored_tensors", opened.append)
    assert "outside the folder" in refused(sharded)
    assert opened == []


@pytest.mark.parametrize(
    ("weight_map", "said"),
    [
        (None, "weight_map: expected an object"),
        ([FIRST], "weight_map: expected an object"),
        ({}, "weight_map: expected an object"),
        ({"a": 3}, "expected the name of a file for a, not 3"),
        ({"a": "model.bin"}, "names model.bin, which is not a .safetensors file"),
        ({"a": SECOND}, "puts a into model-00002-of-00002.safetensors, which does not have it"),
        ({"z": FIRST}, "puts z into model-00001-of-00002.safetensors, which does not have it"),
    ],
)
def test_an_index_that_makes_no_sense_is_refused(sharded, weight_map, said):
    index(sharded, weight_map)
    assert said in refused(sharded)


def test_an_index_that_is_no_json_says_where(sharded):
    (sharded / INDEX).write_text('{"weight_map": {"a": }}')
    assert "is not valid JSON: line 1, column 22" in refused(sharded)


def test_a_missing_shard_is_named_with_its_number(sharded):
    (sharded / SECOND).unlink()
    assert f"shard 2 of 2 is missing, {SECOND}" in refused(sharded)


def test_a_tensor_in_two_shards_is_refused(sharded):
    save(sharded / SECOND, c=4, a=2)
    assert "a is in two shards" in refused(sharded)


def test_a_damaged_shard_is_named(sharded):
    (sharded / SECOND).write_bytes((sharded / SECOND).read_bytes()[:-1])
    assert f"{SECOND} is cut short" in refused(sharded)


@pytest.mark.parametrize("name", ["model.safetensors", INDEX])
def test_a_link_out_of_the_folder_is_refused(folder, name):
    outside = folder.parent / "elsewhere"
    save(outside, a=2)
    (folder / name).symlink_to(outside)
    assert "links outside the folder" in refused(folder)


def test_a_folder_of_a_similar_name_is_outside(folder):
    other = folder.parent / "model-2"
    other.mkdir()
    save(other / "model.safetensors", a=2)
    (folder / "model.safetensors").symlink_to(other / "model.safetensors")
    assert "links outside the folder" in refused(folder)


def test_a_link_within_the_folder_and_a_linked_folder_are_fine(folder):
    save(folder / "weights", a=2)
    (folder / "model.safetensors").symlink_to("weights")
    linked = folder.parent / "linked"
    linked.symlink_to(folder)
    assert folder_tensors(str(linked)).keys() == {"a"}


def test_a_download_cache_links_to_its_own_blobs(tmp_path):
    snapshot, blobs = tmp_path / "m" / "snapshots" / "abc", tmp_path / "m" / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    save(blobs / "1234", a=2)
    (snapshot / "model.safetensors").symlink_to("../../blobs/1234")
    assert folder_tensors(str(snapshot)).keys() == {"a"}


def test_a_name_in_the_folder_is_a_path(folder):
    assert file_inside(str(folder), "config.json") == str(folder / "config.json")


def test_a_folder_that_is_not_there_is_refused(folder):
    assert "could not be listed" in refused(folder / "missing")
