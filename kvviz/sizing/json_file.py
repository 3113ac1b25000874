"""JSON that a person hands over, read with care: every fault is one sentence with file and key."""

import codecs
import json
import math
import os
from dataclasses import dataclass
from typing import Any, NoReturn

from kvviz.sizing.errors import InputError
from kvviz.sizing.foreign import MAGIC, open_plain

# Quantised models list each layer they left alone: 3 MB has been seen.
SIZE_LIMIT = 16 * 10**6
MOST_DIGITS = 100
# Mamba 2's own configs write an open upper bound there.
KEYS_WITH_INFINITY = {"time_step_limit"}
WIDE_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class _LongNumber:
    """A number of too many digits, kept until its key is known."""

    digits: int


def read_json_object(path: str, limit: int = SIZE_LIMIT) -> dict[str, Any]:
    """Return the object in a JSON file of at most ``limit`` bytes; InputError for anything else."""
    with open_plain(path) as file:
        if os.fstat(file.fileno()).st_size > limit:
            _refuse_size(path, limit)
        data = file.read(limit + 1)
    return parse_json_object(data, path, limit)


def parse_json_object(data: bytes, name: str, limit: int = SIZE_LIMIT) -> dict[str, Any]:
    """Return the object that ``data`` is; ``name`` says in errors where it came from.

    A byte order mark is accepted, infinity only where real configs have it.  Raises InputError.
    """
    if len(data) > limit:
        _refuse_size(name, limit)
    value = _parse(_decoded(data, name), name)
    if not isinstance(value, dict):
        raise InputError(f"{name}: expected an object in braces at the top, not {_kind(value)}.")
    return value


def _refuse_size(name: str, limit: int) -> NoReturn:
    raise InputError(f"{name} is larger than {limit // 10**6} MB: choose a configuration file.")


def _decoded(data: bytes, name: str) -> str:
    _refuse_foreign(data, name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} must be UTF-8, and byte {error.start:,} is not: save it as UTF-8."
        ) from None
    if "\0" in text:
        raise InputError(f"{name} must be UTF-8, and has NUL bytes: save it as UTF-8.")
    if not text.strip():
        raise InputError(f"{name} is empty: copy or download it again.")
    return text


def _refuse_foreign(data: bytes, name: str) -> None:
    if data.startswith(WIDE_MARKS):
        raise InputError(f"{name} must be UTF-8, and is UTF-16 or UTF-32: save it as UTF-8.")
    for magic, what in MAGIC:
        if data.startswith(magic):
            raise InputError(f"{name} should be JSON and {what}.")
    if data[:200].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        raise InputError(f"{name} is a web page, not the file: download it again.")


def _parse(text: str, name: str) -> object:
    def whole(digits: str) -> int | _LongNumber:
        return int(digits) if len(digits) <= MOST_DIGITS else _LongNumber(len(digits))

    def checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise InputError(f"{name}: key {_shown(key)} appears twice: keep one of them.")
            _check_numbers(key, value, name)
            found[key] = value
        return found

    try:
        return json.loads(text, object_pairs_hook=checked, parse_int=whole)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno:,}, column {error.colno:,}"
        raise InputError(f"{name} is not valid JSON: {where}: {error.msg}.") from None
    except RecursionError:
        raise InputError(f"{name} is nested too deeply to be a configuration.") from None


def _check_numbers(key: str, value: object, name: str) -> None:
    if isinstance(value, list):
        for item in value:
            _check_numbers(key, item, name)
    elif isinstance(value, _LongNumber):
        _refuse(key, name, f"has a number of {value.digits:,} digits, which is too long")
    elif isinstance(value, float) and not _is_usable(key, value):
        _refuse(key, name, "must be a finite number")


def _is_usable(key: str, value: float) -> bool:
    return math.isfinite(value) or (math.isinf(value) and key in KEYS_WITH_INFINITY)


def _refuse(key: str, name: str, fault: str) -> NoReturn:
    raise InputError(f"{name}: {_shown(key)} {fault}: correct it.")


def _shown(key: str) -> str:
    """Write a key as a person typed it, unless it cannot be printed."""
    return key if key.isascii() and key.isprintable() and len(key) <= 60 else ascii(key[:60])


def _kind(value: object) -> str:
    names = {list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
