"""What attention read in one step, copied out of the model's tensors once."""

import threading

import numpy as np
import torch
from torch import Tensor

from kvviz.cache.kv_cache import KVCache
from kvviz.trace.step import Floats

NUMPY_DTYPES = (torch.float32, torch.float64)  # bfloat16 has no name in numpy


class Cancelled(Exception):  # noqa: N818 - a request that was granted, not an error
    """The run was cancelled between two layers."""


class Recorder:
    """The ``watch`` of one forward: keeps each layer's queries.

    It is called between layers, so it is also where a cancel is seen.
    """

    def __init__(self, cancel: threading.Event) -> None:
        self._cancel = cancel
        self._q: list[Tensor] = []

    def __call__(self, layer: int, q: Tensor, k: Tensor, v: Tensor, out: Tensor) -> None:
        """Keep q [B, H, T, D] as it is; raise Cancelled if asked to."""
        if self._cancel.is_set():
            raise Cancelled
        self._q.append(q)

    def arrays(self, cache: KVCache, rows: int) -> tuple[Floats, Floats, Floats]:
        """Return q [L, H, T, D], k and v [L, K, T, D] of batch row 0, T the last ``rows``.

        They are float32, read-only and copies; k and v are read back from ``cache``, whose step
        is not finished yet.
        """
        queries = self._q
        if len(queries[0]) > 1 or queries[0].shape[2] > rows:
            queries = [q[:1, :, q.shape[2] - rows :] for q in queries]
        kv = to_numpy(cache.newest(rows))
        return to_numpy(torch.cat(queries)), kv[0::2], kv[1::2]


def to_numpy(tensor: Tensor) -> Floats:
    """Return a read-only float32 copy on the host."""
    host = tensor.cpu()
    if host.dtype not in NUMPY_DTYPES:
        host = host.float()
    array = np.array(host.numpy(), np.float32, order="C")
    array.flags.writeable = False
    return array
