"""From a layout on paper to tensors."""

import torch

from kvviz.cache.concat import ConcatCache
from kvviz.cache.kv_cache import KVCache
from kvviz.cache.none import NoCache
from kvviz.cache.preallocated import PreallocatedCache
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.shape import ModelShape

TORCH_DTYPES = {
    DType.FLOAT64: torch.float64,
    DType.FLOAT32: torch.float32,
    DType.BFLOAT16: torch.bfloat16,
    DType.FLOAT16: torch.float16,
}


def build_cache(
    layout: CacheLayout,
    shape: ModelShape,
    *,
    batch: int,
    max_seq_len: int,
    device: torch.device,
) -> KVCache:
    """Return an empty cache that stores ``layout.kv_dtype``."""
    dtype = TORCH_DTYPES[layout.kv_dtype]
    match layout.kind:
        case LayoutKind.NONE:
            return NoCache()
        case LayoutKind.CONCAT:
            return ConcatCache(dtype)
        case LayoutKind.PREALLOCATED:
            return PreallocatedCache(
                shape, batch=batch, max_seq_len=max_seq_len, dtype=dtype, device=device
            )
