"""Bytes of weights files into tensors, a piece at a time, by plain reads.

A mapped file would be quicker to open, and would end the process with a signal if it shrinks.
"""

import contextlib
import os
from collections.abc import Callable
from io import RawIOBase
from types import TracebackType
from typing import Any, Self

import torch
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
        self._scratch = torch.empty(PIECE_BYTES, dtype=torch.uint8)

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
        flat, dtype = target.view(-1), DTYPES[stored.dtype]
        step = PIECE_BYTES // dtype.itemsize
        direct = target.dtype is dtype and target.device.type == "cpu"
        for begin in range(0, flat.numel(), step):
            piece = flat[begin : begin + step]
            source = piece if direct else self._scratch[: len(piece) * dtype.itemsize].view(dtype)
            self._read(source, stored, (first + begin) * dtype.itemsize)
            if not direct:
                piece.copy_(source)
            self._check(piece, source, name, stored)
            self._on_bytes(source.nbytes)

    def read(self, name: str, stored: StoredTensor) -> Tensor:
        """Return a stored tensor whole, in its own sizes and dtype."""
        tensor = torch.empty(stored.sizes, dtype=DTYPES[stored.dtype])
        self.read_into(tensor, name, stored)
        return tensor

    def _read(self, target: Tensor, stored: StoredTensor, offset: int) -> None:
        place = target.view(torch.uint8).numpy().data
        at = stored.offset + offset
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

    def _file(self, path: str) -> RawIOBase:
        if path not in self._open:
            # Checked as when it was opened first: it may be another file by now.
            with open_plain(path) as file:
                raw = open(os.dup(file.fileno()), "rb", buffering=0)  # noqa: SIM115
            self._open[path] = self._files.enter_context(raw)
        found: RawIOBase = self._open[path]
        return found

    def _check(self, piece: Tensor, source: Tensor, name: str, stored: StoredTensor) -> None:
        # A sum is several times quicker than isfinite, and is finite where all of them are.
        if torch.isfinite(piece.sum()):
            return
        check_overflow(piece, source, name, stored.path)
        if found := _num_bad(source):
            self.num_bad += found
            self.bad_name = self.bad_name or name


def check_overflow(target: Tensor, source: Tensor, name: str, path: str) -> None:
    """Raise InputError where finite numbers of ``source`` are infinite in ``target``."""
    if torch.isfinite(target.sum()):
        return
    if lost := _num_bad(target) - _num_bad(source):
        raise InputError(
            f"{path}: {lost:,} numbers of {name} are too large for "
            f"{str(target.dtype).removeprefix('torch.')}: choose bfloat16 or float32."
        )


def _num_bad(numbers: Tensor) -> int:
    return numbers.numel() - int(torch.isfinite(numbers).sum())
