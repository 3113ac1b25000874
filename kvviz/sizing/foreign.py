"""Files opened with care: what is not safetensors is named by its content, never its suffix."""

import contextlib
import json
import os
import stat
from collections.abc import Iterator
from typing import Any, BinaryIO

from kvviz.sizing.errors import InputError

HEADER_LIMIT = 10 * 2**20
FORMAT_LIMIT = 100 * 10**6  # what says of itself that its header is longer is something else
PREFIX_BYTES = 512
MAGIC = (
    (b"version https://git-lfs", "is a Git LFS pointer, not the file: run git lfs pull first"),
    (b"PK\x03\x04", "is a zip archive, as pickled weights are, and pickle can run code"),
    (b"\x80\x02", "is a pickle, which can run code: convert it to safetensors"),
    (b"\x80\x03", "is a pickle, which can run code: convert it to safetensors"),
    (b"\x80\x04", "is a pickle, which can run code: convert it to safetensors"),
    (b"\x80\x05", "is a pickle, which can run code: convert it to safetensors"),
    (b"GGUF", "is a GGUF file, which kvviz does not open"),
    (b"\x1f\x8b", "is a gzip archive: unpack it first"),
    (b"\x89PNG", "is a picture"),
)


@contextlib.contextmanager
def open_plain(path: str) -> Iterator[BinaryIO]:
    """Open a plain file for reading; raise InputError for anything else, and never block."""
    try:
        # A pipe without a writer would block an ordinary open for ever.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError(f"{path} is not a plain file: choose another.")
            yield file
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist: check the name.") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder: choose a file in it.") from error
    except OSError as error:
        raise InputError(f"{path} could not be read, {error.strerror}: try another.") from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path!r} is not a file name: choose another.") from error


def read_header(file: BinaryIO, path: str) -> dict[str, Any]:
    """Return the header of a safetensors file as it stands; the file is then at its data.

    Raises InputError, naming what the file is, if it is not safetensors or is cut short.
    """
    size = os.fstat(file.fileno()).st_size
    prefix = file.read(PREFIX_BYTES)
    length = int.from_bytes(prefix[:8], "little")
    if prefix[8:9] != b"{" or length > FORMAT_LIMIT:
        raise InputError(f"{path} {_kind(prefix)}.")
    if length > HEADER_LIMIT:
        raise InputError(
            f"{path}: its header is too large, {length:,} bytes and the limit is {HEADER_LIMIT:,}: "
            "choose a model's file, or download it again."
        )
    if length > size - 8:
        raise InputError(
            f"{path} is cut short: its header alone is {length:,} bytes and the file has {size:,}; "
            "copy or download it again."
        )
    file.seek(8)
    try:
        header = json.loads(file.read(length), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is damaged: its header cannot be read.") from error
    if not isinstance(header, dict):
        raise InputError(f"{path} is damaged: its header is not an object.")
    _check_size(header, size - 8 - length, path)
    return header


def _check_size(header: dict[str, Any], data_bytes: int, path: str) -> None:
    expected = max(map(_end, header.values()), default=0)
    if expected != data_bytes:
        fault = "is cut short" if data_bytes < expected else "has bytes after its end"
        raise InputError(
            f"{path} {fault}: its tensors take {expected:,} bytes and {data_bytes:,} are there; "
            "copy or download it again."
        )


def _end(entry: object) -> int:
    """Return where a tensor's data end, behind the header; 0 for what is no tensor."""
    match entry:
        case {"data_offsets": [int(), int() as end]}:
            return end
        case _:
            return 0


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raise ValueError where a key appears twice, and so means two things."""
    names = dict(pairs)
    if len(names) != len(pairs):
        raise ValueError("a key appears twice")
    return names


def _kind(prefix: bytes) -> str:
    if not prefix:
        return "is empty: copy or download it again"
    if prefix.lstrip()[:14].lower().startswith((b"<!doctype html", b"<html")):
        return "is a web page, not the file: download it again"
    known = (what for magic, what in MAGIC if prefix.startswith(magic))
    return next(known, "is not a safetensors file: choose another")
