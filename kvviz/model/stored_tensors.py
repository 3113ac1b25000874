"""What the header of a weights file says of its tensors, checked before any of them is read.

No torch here: a model is refused, or its size known, before anything is built.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from kvviz.sizing.errors import InputError
from kvviz.sizing.foreign import open_plain, read_header

Sizes = tuple[int, ...]

FLOAT_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
FLOAT_NAMES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
OTHER_DTYPES = {
    *("BOOL", "U8", "I8", "U16", "I16", "U32", "I32", "U64", "I64", "C64"),
    *("F4", "F6_E2M3", "F6_E3M2", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ"),
}
MAX_TENSORS = 100_000


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """One tensor of a file: ``num_bytes`` from ``offset`` on, counted from the file's start."""

    path: str
    dtype: str
    sizes: Sizes
    offset: int
    num_bytes: int


def stored_tensors(path: str) -> dict[str, StoredTensor]:
    """Return every tensor of a safetensors file by name.

    Raises InputError where the file is foreign, cut short, or its header makes no sense.
    """
    with open_plain(path) as file:
        header = read_header(file, path)
        start = file.tell()
    entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
    if len(entries) > MAX_TENSORS:
        raise InputError(
            f"{path} holds {len(entries):,} tensors, over {MAX_TENSORS:,}: choose a model's file."
        )
    tensors = {name: _tensor(name, entry, path, start) for name, entry in entries.items()}
    _check_places(tensors, start, path)
    return tensors


def check_float(name: str, tensor: StoredTensor) -> None:
    """Raise InputError unless the tensor holds numbers that a model can be loaded from."""
    if tensor.dtype not in FLOAT_BYTES:
        raise _unsupported(name, f"{tensor.dtype}, which is not supported", tensor.path)


def by(sizes: Sizes) -> str:
    """Write sizes as people do: 64 x 128."""
    return " x ".join(map(str, sizes)) or "a single number"


def _tensor(name: str, entry: object, path: str, start: int) -> StoredTensor:
    """Return one tensor; raise InputError unless its entry makes sense by itself."""
    match entry:
        case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [begin, end]} if all(
            type(number) is int and number >= 0 for number in (*shape, begin, end)
        ):
            pass
        case _:
            raise InputError(f"{path} is damaged: the entry of {name[:60]!r} makes no sense.")
    found, width = end - begin, FLOAT_BYTES.get(dtype)
    if width is None and dtype not in OTHER_DTYPES:
        raise _unsupported(name, f"{dtype[:20]}, which is not supported: an unknown dtype", path)
    if found < 0 or (width is not None and found != math.prod(shape) * width):
        wanted = f"{math.prod(shape) * width:,} bytes" if width else "some bytes"
        raise InputError(
            f"{path} is damaged: {name[:60]!r} should take {wanted} and has {found:,}."
        )
    return StoredTensor(path, dtype, tuple(shape), start + begin, found)


def _unsupported(name: str, fault: str, path: str) -> InputError:
    return InputError(
        f"{path}: {name[:60]} is stored as {fault}; save it as float32, float16 or bfloat16."
    )


def _check_places(tensors: Mapping[str, StoredTensor], start: int, path: str) -> None:
    """Raise InputError where two tensors share bytes, or bytes belong to none."""
    place, before = start, ""
    ordered = sorted(tensors.items(), key=lambda item: (item[1].offset, item[1].num_bytes))
    for name, tensor in ordered:
        if tensor.offset != place:
            fault = f"overlaps {before[:60]!r}" if tensor.offset < place else "follows a gap"
            raise InputError(
                f"{path} is damaged: {name[:60]!r} {fault}: copy or download it again."
            )
        place, before = place + tensor.num_bytes, name
