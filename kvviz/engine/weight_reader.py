"""Bytes of weights files into tensors, a piece at a time, by plain reads.

A mapped file would be quicker to open, and would end the process with a signal if it shrinks.
"""

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from io import RawIOBase
from types import TracebackType
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from kvviz.model.stored_tensors import StoredTensor
from kvviz.sizing.errors import InputError
from kvviz.sizing.foreign import open_plain

PIECE_BYTES = 2**20  # one that was just read is still in the processor's cache when it is checked
DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
}


Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Words:
    """A float dtype's bits as whole numbers, and the first one of either sign that is infinite."""

    signed: type[np.signedinteger[Any]]
    unsigned: type[np.unsignedinteger[Any]]
    first_positive: int
    first_negative: int


WORDS = {
    "F64": Words(np.int64, np.uint64, 0x7FF << 52, 0xFFF << 52),
    "F32": Words(np.int32, np.uint32, 0x7F80_0000, 0xFF80_0000),
    "F16": Words(np.int16, np.uint16, 0x7C00, 0xFC00),
    "BF16": Words(np.int16, np.uint16, 0x7F80, 0xFF80),
}


class WeightReader:
    """Reads stored tensors; ``on_bytes`` is told how many each piece was, and may raise to stop.

    ``num_bad`` counts the numbers that were not finite, ``bad_name`` is the first such tensor.
    """

    def __init__(self, on_bytes: Callable[[int], None]) -> None:
        self.num_bad = 0
        self.bad_name = ""
        self._on_bytes = on_bytes
        self._files = contextlib.ExitStack()
        self._open: dict[str, Any] = {}
        self._scratch = np.empty(PIECE_BYTES, np.uint8)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._files.close()

    def read_into(self, target: Tensor, name: str, stored: StoredTensor, first: int = 0) -> None:
        """Fill a contiguous tensor with as many numbers of ``stored`` from its ``first`` on.

        Raises InputError where the file ends early, or a number is too large for the target.
        """
        dtype = DTYPES[stored.dtype]
        flat, offset = target.view(-1), first * dtype.itemsize
        if target.dtype is dtype and target.device.type == "cpu":
            data = flat.view(torch.uint8).numpy()
            for begin in range(0, len(data), PIECE_BYTES):
                piece = data[begin : begin + PIECE_BYTES]
                self._read(piece, name, stored, offset + begin)
            return
        step = PIECE_BYTES // dtype.itemsize
        for begin in range(0, len(flat), step):
            numbers = flat[begin : begin + step]
            data = self._scratch[: len(numbers) * dtype.itemsize]
            self._read(data, name, stored, offset + begin * dtype.itemsize)
            source = torch.from_numpy(data).view(dtype)
            numbers.copy_(source)
            check_overflow(numbers, source, name, stored.path)

    def read(self, name: str, stored: StoredTensor) -> Tensor:
        """Return a stored tensor whole, in its own sizes and dtype."""
        tensor = torch.empty(stored.sizes, dtype=DTYPES[stored.dtype])
        self.read_into(tensor, name, stored)
        return tensor

    def _read(self, data: Bytes, name: str, stored: StoredTensor, offset: int) -> None:
        """Fill ``data`` from the stored tensor's byte ``offset`` on, and look at the numbers."""
        place, at = data.data, stored.offset + offset
        try:
            file = self._file(stored.path)
            file.seek(at)
            while place:
                count = file.readinto(place)
                if not count:
                    raise InputError(
                        f"{stored.path} became shorter while it was read, at byte {at:,}: copy or "
                        "download it again."
                    )
                place, at = place[count:], at + count
        except OSError as error:
            raise InputError(
                f"{stored.path}: reading failed at byte {at:,}, {error.strerror}: try again."
            ) from error
        if not all_finite(data, stored.dtype):
            self.num_bad += _num_bad(torch.from_numpy(data).view(DTYPES[stored.dtype]))
            self.bad_name = self.bad_name or name
        self._on_bytes(len(data))

    def _file(self, path: str) -> RawIOBase:
        if path not in self._open:
            # Checked as when it was opened first: it may be another file by now.
            with open_plain(path) as file:
                raw = open(os.dup(file.fileno()), "rb", buffering=0)  # noqa: SIM115
            self._open[path] = self._files.enter_context(raw)
        found: RawIOBase = self._open[path]
        return found


def all_finite(data: Bytes, dtype: str) -> bool:
    """Whether no number in the bytes is NaN or infinite.

    As whole numbers those are the largest of their sign, and to find the largest is several times
    quicker than to look at each.
    """
    kind = WORDS[dtype]
    return bool(
        data.view(kind.signed).max() < kind.first_positive
        and data.view(kind.unsigned).max() < kind.first_negative
    )


def check_overflow(target: Tensor, source: Tensor, name: str, path: str) -> None:
    """Raise InputError where finite numbers of ``source`` are infinite in ``target``."""
    if torch.finfo(target.dtype).max >= torch.finfo(source.dtype).max:
        return
    if lost := _num_bad(target) - _num_bad(source):
        raise InputError(
            f"{path}: {lost:,} numbers of {name} are too large for "
            f"{str(target.dtype).removeprefix('torch.')}: choose bfloat16 or float32."
        )


def _num_bad(numbers: Tensor) -> int:
    return numbers.numel() - int(torch.isfinite(numbers).sum())
