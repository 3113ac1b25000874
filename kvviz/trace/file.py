"""A run's file: safetensors with text metadata, reopened without torch, never half."""

import json
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from kvviz import __version__
from kvviz.sizing.errors import InputError
from kvviz.sizing.foreign import open_plain, read_header
from kvviz.trace.atomic import write_atomically
from kvviz.trace.config import RunConfig
from kvviz.trace.packing import Tensors, decode_text, encode_text, pack, unpack
from kvviz.trace.trace import Trace

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = "kvviz-trace"
VERSION = "3"
WITHOUT_OUTPUTS = "2"  # of the same make, but for what the heads passed on


def save_trace(trace: Trace, path: str | Path) -> None:
    """Write a trace whole or not at all; raise InputError with the reason if it cannot be."""
    write_atomically(path, trace_bytes(trace))


def trace_bytes(trace: Trace) -> bytes:
    """Return a trace as the bytes of its file; raise InputError if it has no steps yet."""
    if not trace.steps:
        raise InputError("There is nothing to export yet: let the run make its first step.")
    tensors = pack(trace) | _prompt_tensors(trace.config)
    metadata = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"kvviz {__version__}",
        "config": _config_text(trace.config),
    }
    metadata["crc32"] = checksum(metadata, tensors)
    return save(tensors, metadata)


def load_trace(path: str | Path) -> Trace:
    """Return the trace in a file; raise InputError, one sentence, if it is not whole and sound."""
    name = str(path)
    with open_plain(name) as file:
        header = read_header(file, name)
        metadata = _metadata(header, name)
        file.seek(0)
        data = file.read()
    try:
        return _trace(metadata, load(data))
    except (SafetensorError, ValueError, TypeError, KeyError, IndexError) as error:
        raise InputError(
            f"{name} is a damaged trace ({_first_line(error)}): copy or export it again."
        ) from error
    except (MemoryError, OverflowError) as error:
        raise InputError(f"{name} holds a run too big for the free memory here.") from error


def is_trace(path: str | Path) -> bool:
    """Whether a file says that it is a trace; raise InputError if it is not safetensors at all."""
    with open_plain(str(path)) as file:
        metadata = read_header(file, str(path)).get("__metadata__")
    return isinstance(metadata, dict) and metadata.get("format") == FORMAT


def checksum(metadata: dict[str, str], tensors: Tensors) -> str:
    """Return the CRC-32 of all that a file holds but for the checksum itself, as hex digits."""
    texts = {key: value for key, value in metadata.items() if key != "crc32"}
    crc = zlib.crc32(json.dumps(texts, sort_keys=True).encode())
    for name in sorted(tensors):
        crc = zlib.crc32(name.encode(), crc)
        flat = np.ascontiguousarray(tensors[name]).reshape(-1)
        crc = zlib.crc32(flat.view(np.uint8).data, crc)
    return f"{crc:08x}"


def _metadata(header: dict[str, Any], name: str) -> dict[str, str]:
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        example = f", such as {next(iter(header))!r}" if header else ""
        raise InputError(
            f"{name} is not a kvviz trace: it holds {len(header):,} tensors{example}; "
            "if they are a model's weights, open it as one."
        )
    if metadata.get("version") not in (VERSION, WITHOUT_OUTPUTS):
        raise InputError(
            f"{name} is a trace of format {metadata.get('version')!r} and this kvviz reads "
            f"{WITHOUT_OUTPUTS} and {VERSION}: open it with the kvviz that wrote it "
            f"({metadata.get('written_by')})."
        )
    return metadata


def _trace(metadata: dict[str, str], tensors: Tensors) -> Trace:
    if metadata["crc32"] != checksum(metadata, tensors):
        raise ValueError("its checksum does not match")
    if metadata["version"] == WITHOUT_OUTPUTS:
        tensors["out"] = np.full_like(tensors["q"], np.nan)
    text = tensors.pop("prompt_text", None)
    fields = json.loads(metadata["config"]) | {"prompt_ids": tensors.pop("prompt_ids").tolist()}
    config = _config_type().validate_json(json.dumps(fields), strict=True)
    if text is not None:
        config = replace(config, prompt_text=decode_text(text.tobytes()))
    return unpack(config, tensors)


@cache
def _config_type() -> "TypeAdapter[RunConfig]":
    # Imported when a file is read or written: every start of the window would wait for it.
    from pydantic import TypeAdapter

    return TypeAdapter(RunConfig)


def _config_text(config: RunConfig) -> str:
    # The prompt has tensors of its own: it can be long, and a header is read in one piece.
    fields = _config_type().dump_python(config, mode="json") | {
        "prompt_ids": [],
        "prompt_text": None,
    }
    return json.dumps(fields, ensure_ascii=False).encode(errors="replace").decode()


def _prompt_tensors(config: RunConfig) -> Tensors:
    ids: Tensors = {"prompt_ids": np.array(config.prompt_ids, np.int64)}
    if config.prompt_text is None:
        return ids
    return ids | {"prompt_text": np.frombuffer(encode_text(config.prompt_text), np.uint8)}


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
