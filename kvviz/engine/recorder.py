"""What attention read in one step, copied out of the model's tensors once."""

import threading

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from kvviz.cache.kv_cache import KVCache
from kvviz.cache.quantized import QuantizedCache
from kvviz.trace.step import Floats, StepArrays

HostArray = NDArray[np.float32] | NDArray[np.float64]
NUMPY_DTYPES = (torch.float32, torch.float64)  # bfloat16 has no name in numpy


class Cancelled(Exception):  # noqa: N818 - a request that was granted, not an error
    """The run was cancelled between two layers."""


class Recorder:
    """The ``watch`` of one forward: keeps each layer's queries and its heads' outputs.

    It is called between layers, so it is also where a cancel is seen.
    """

    def __init__(self, cancel: threading.Event) -> None:
        self._cancel = cancel
        self._q: list[Tensor] = []
        self._out: list[Tensor] = []

    def __call__(self, layer: int, q: Tensor, k: Tensor, v: Tensor, out: Tensor) -> None:
        """Keep q and out [B, H, T, D] as they are; raise Cancelled if asked to."""
        if self._cancel.is_set():
            raise Cancelled
        self._q.append(q)
        self._out.append(out)

    def arrays(self, cache: KVCache, rows: int, logits: HostArray | None) -> StepArrays:
        """Return q and out [L, H, T, D], k and v [L, K, T, D] of batch row 0, T the last ``rows``.

        They are float32, read-only and copies, as ``logits`` [V] are; k and v are read back from
        ``cache``, whose step is not finished yet.  Rows found, not fed, have a q of zeros and an
        out of NaN.
        """
        layers, fed = len(self._q), self._q[0].shape[2]
        kept = [*self._q, *self._out]
        if len(kept[0]) > 1 or fed > rows:
            kept = [tensor[:1, :, max(0, fed - rows) :] for tensor in kept]
        both = torch.cat(kept)
        if fed < rows:
            both = functional.pad(both, (0, 0, rows - fed, 0))
            both[layers:, :, : rows - fed] = torch.nan
        heads = both.float().numpy(force=True)  # a copy already
        heads.setflags(write=False)
        kv = to_numpy(cache.newest(rows))
        errors = to_numpy(cache.errors) if isinstance(cache, QuantizedCache) else None
        q, out = heads[:layers], heads[layers:]
        chosen_from = None if logits is None else _read_only(logits)
        return StepArrays(q, kv[0::2], kv[1::2], chosen_from, errors, out)


def to_numpy(tensor: Tensor) -> Floats:
    """Return a read-only float32 copy on the host."""
    return _read_only(host_array(tensor))


def host_array(tensor: Tensor) -> HostArray:
    """Return a tensor's numbers on the host, at least float32; they may be its own memory."""
    return (tensor if tensor.dtype in NUMPY_DTYPES else tensor.float()).numpy(force=True)


def _read_only(array: HostArray) -> Floats:
    copied = np.array(array, np.float32, order="C")
    copied.setflags(write=False)
    return copied
