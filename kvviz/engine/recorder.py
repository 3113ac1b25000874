"""What attention read in one step, copied out of the model's tensors once."""

import threading

import numpy as np
import torch
from torch import Tensor

from kvviz.sizing.shape import ModelShape
from kvviz.trace.step import Floats


class Cancelled(Exception):  # noqa: N818 - a request that was granted, not an error
    """The run was cancelled between two layers."""


class Recorder:
    """The ``watch`` of one forward: keeps each layer's new rows of batch row 0.

    It is called between layers, so it is also where a cancel is seen.
    """

    def __init__(self, shape: ModelShape, new_rows: int, cancel: threading.Event) -> None:
        self._shape = shape
        self._new_rows = new_rows
        self._cancel = cancel
        self._q: list[Tensor] = []
        self._k: list[Tensor] = []
        self._v: list[Tensor] = []

    def __call__(self, layer: int, q: Tensor, k: Tensor, v: Tensor, out: Tensor) -> None:
        """Keep views of q [B, H, T, D] and of k, v [B, K, S, D]; raise Cancelled if asked to."""
        if self._cancel.is_set():
            raise Cancelled
        self._q.append(q)
        self._k.append(k)
        self._v.append(v)

    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """Return q [L, H, T, D], k and v [L, K, T, D]: float32, read-only, T the new rows."""
        rows, shape = self._new_rows, self._shape
        parts = [tensor[0, :, -rows:].reshape(-1) for tensor in (*self._q, *self._k, *self._v)]
        flat = torch.cat(parts).to("cpu", torch.float32).numpy()
        flat.flags.writeable = False
        query = (shape.num_layers, shape.num_heads, rows, shape.head_dim)
        key = (shape.num_layers, shape.num_kv_heads, rows, shape.head_dim)
        ends = np.cumsum([np.prod(query), np.prod(key)])
        q, k, v = np.split(flat, ends)
        return q.reshape(query), k.reshape(key), v.reshape(key)
