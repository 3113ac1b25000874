"""What attention read in one step, copied out of the model's tensors once."""

import threading

import numpy as np
import torch
from torch import Tensor

from kvviz.trace.step import Floats

NUMPY_DTYPES = (torch.float32, torch.float64)  # bfloat16 has no name in numpy


class Cancelled(Exception):  # noqa: N818 - a request that was granted, not an error
    """The run was cancelled between two layers."""


class Recorder:
    """The ``watch`` of one forward: keeps each layer's new rows of batch row 0.

    It is called between layers, so it is also where a cancel is seen.
    """

    def __init__(self, new_rows: int, cancel: threading.Event) -> None:
        self._new_rows = new_rows
        self._cancel = cancel
        self._q: list[Tensor] = []
        self._kv: list[Tensor] = []

    def __call__(self, layer: int, q: Tensor, k: Tensor, v: Tensor, out: Tensor) -> None:
        """Keep views of q [B, H, T, D] and of k, v [B, K, S, D]; raise Cancelled if asked to."""
        if self._cancel.is_set():
            raise Cancelled
        self._q.append(q)
        self._kv.append(k)
        self._kv.append(v)

    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """Return q [L, H, T, D], k and v [L, K, T, D]: float32, read-only, T the new rows."""
        q, kv = self._copied(self._q), self._copied(self._kv)
        return q, kv[0::2], kv[1::2]

    def _copied(self, tensors: list[Tensor]) -> Floats:
        """Copy batch row 0's last rows of each [B, heads, S, D] into one [n, heads, T, D]."""
        first = tensors[0]
        skip = first.shape[2] - self._new_rows
        if first.is_cpu and first.dtype in NUMPY_DTYPES:
            views = [tensor.numpy()[0, :, skip:] for tensor in tensors]
            copied = np.empty((len(views), *views[0].shape), np.float32)
            for index, view in enumerate(views):
                copied[index] = view
        else:
            rows = torch.stack([tensor[0, :, skip:] for tensor in tensors])
            copied = rows.to("cpu", torch.float32).numpy()
        copied.flags.writeable = False
        return copied
