"""The weights of a folder: one file, or several with an index that says what is where."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from kvviz.model.stored_tensors import StoredTensor, stored_tensors
from kvviz.sizing.errors import InputError
from kvviz.sizing.foreign import HEADER_LIMIT
from kvviz.sizing.json_file import read_json_object

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
SUFFIX = ".safetensors"
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
MOST_SHOWN = 5


def folder_tensors(folder: str) -> dict[str, StoredTensor]:
    """Return every tensor of a folder by name, as the headers of its files have them.

    Raises InputError where a file is missing, damaged or foreign, or lies outside the folder.
    """
    if os.path.lexists(os.path.join(folder, SINGLE)):
        return stored_tensors(file_inside(folder, SINGLE))
    if os.path.lexists(os.path.join(folder, INDEX)):
        return _sharded(folder, read_json_object(file_inside(folder, INDEX), HEADER_LIMIT))
    return stored_tensors(file_inside(folder, _only_file(folder)))


def file_inside(folder: str, name: str) -> str:
    """Return the path of a folder's file; raise InputError if it, or what it links to, is outside.

    A snapshot in a download cache links to that cache's own blobs, which may be.
    """
    if name in ("", ".", "..") or any(mark in name for mark in "/\\:\0"):
        raise InputError(
            f"{folder}: {name[:60]!r} points outside the folder: only files in it are opened."
        )
    path = os.path.join(folder, name)
    root = os.path.realpath(folder)
    if os.path.basename(os.path.dirname(root)) == "snapshots":
        root = os.path.dirname(os.path.dirname(root))
    real = os.path.realpath(path)
    if not real.startswith(os.path.join(root, "")):
        raise InputError(f"{path} links outside the folder, to {real}: copy the file itself here.")
    return path


def names_in(folder: str) -> list[str]:
    """Return the names of what a folder holds; raise InputError where it cannot be listed."""
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        raise InputError(f"{folder} could not be listed, {error.strerror}: try another.") from error


def some(names: Iterable[str]) -> str:
    """Write the first few of ``names``."""
    ordered = sorted(names)
    shown = ", ".join(name[:60] for name in ordered[:MOST_SHOWN])
    return f"{shown}, …" if len(ordered) > MOST_SHOWN else shown


def _sharded(folder: str, index: Mapping[str, Any]) -> dict[str, StoredTensor]:
    files = _weight_map(folder, index)
    paths = _shard_paths(folder, sorted(set(files.values())))
    tensors: dict[str, StoredTensor] = {}
    for path in paths:
        for name, tensor in stored_tensors(path).items():
            if name in tensors:
                raise InputError(
                    f"{folder}: {name[:60]} is in two shards, {os.path.basename(path)} and "
                    f"{os.path.basename(tensors[name].path)}: copy or download the folder again."
                )
            tensors[name] = tensor
    for name, file in files.items():
        if name not in tensors or os.path.basename(tensors[name].path) != file:
            raise InputError(
                f"{folder}: {INDEX} puts {name[:60]} into {file}, which does not have it: copy or "
                "download the folder again."
            )
    return tensors


def _weight_map(folder: str, index: Mapping[str, Any]) -> dict[str, str]:
    """Return which file each tensor is in, every name a plain one."""
    found = index.get("weight_map")
    if not isinstance(found, dict) or not found:
        raise InputError(
            f"{os.path.join(folder, INDEX)}: weight_map: expected an object with a file for each "
            "tensor: copy or download it again."
        )
    for name, file in found.items():
        if not isinstance(file, str):
            raise InputError(
                f"{os.path.join(folder, INDEX)}: weight_map: expected the name of a file for "
                f"{name[:60]}, not {str(file)[:20]}."
            )
    for file in sorted(set(found.values())):
        file_inside(folder, file)
        if not file.endswith(SUFFIX):
            raise InputError(
                f"{folder}: {INDEX} names {file[:60]}, which is not a {SUFFIX} file: convert the "
                "model to safetensors."
            )
    return found


def _shard_paths(folder: str, files: list[str]) -> list[str]:
    paths = [file_inside(folder, file) for file in files]
    for number, (file, path) in enumerate(zip(files, paths, strict=True), start=1):
        if not os.path.exists(path):
            raise InputError(
                f"{folder}: shard {number} of {len(files)} is missing, {file[:60]}: copy or "
                "download it."
            )
    return paths


def _only_file(folder: str) -> str:
    """Return the one weights file of another name; raise InputError, with what is there instead."""
    names = names_in(folder)
    weights = [name for name in names if name.endswith(SUFFIX)]
    if len(weights) == 1:
        return weights[0]
    if weights:
        raise InputError(
            f"{folder} has {len(weights)} weights files and no {INDEX} ({some(weights)}): copy or "
            "download the index too."
        )
    if pickles := [name for name in names if name.endswith(PICKLES)]:
        raise InputError(
            f"{folder} has its weights in {some(pickles)}: pickle files can run code, convert them "
            "to safetensors."
        )
    if any(name.endswith(".gguf") for name in names):
        raise InputError(f"{folder} has a GGUF file, and GGUF is not supported: use safetensors.")
    raise InputError(f"{folder} has no {SINGLE} (it has {some(names) or 'nothing'}): add it.")
