"""From a layout on paper to tensors."""

from collections.abc import Sequence

import torch

from kvviz.cache.concat import ConcatCache
from kvviz.cache.kv_cache import Dtypes, KVCache
from kvviz.cache.none import NoCache
from kvviz.cache.paged import PagedCache
from kvviz.cache.paged_store import PagedStore
from kvviz.cache.preallocated import PreallocatedCache
from kvviz.cache.quantized import QuantizedCache
from kvviz.cache.sliding import SlidingCache
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.shape import ModelShape

TORCH_DTYPES = {
    DType.FLOAT64: torch.float64,
    DType.FLOAT32: torch.float32,
    DType.BFLOAT16: torch.bfloat16,
    DType.FLOAT16: torch.float16,
    DType.FLOAT8_E4M3: torch.float8_e4m3fn,
}


def build_cache(
    layout: CacheLayout,
    shape: ModelShape,
    *,
    batch: int,
    max_seq_len: int,
    device: torch.device,
    pads: Sequence[int] = (),
    store: PagedStore | None = None,
) -> KVCache:
    """Return an empty cache in the dtypes of ``layout``; ``store`` is a pool shared with others.

    ``pads`` are how many places each row of an unequal batch begins late.
    """
    dtypes = stored_dtypes(layout)
    match layout.kind:
        case LayoutKind.NONE:
            return NoCache(pads)
        case LayoutKind.CONCAT:
            return ConcatCache(dtypes, pads)
        case LayoutKind.PREALLOCATED:
            return PreallocatedCache(
                shape, batch=batch, max_seq_len=max_seq_len, dtypes=dtypes, device=device, pads=pads
            )
        case LayoutKind.PAGED:
            own = store or build_store(layout, shape, batch, max_seq_len, device)
            return PagedCache(own, batch, pads)
        case LayoutKind.SLIDING | LayoutKind.QUANTIZED:
            kind = SlidingCache if layout.kind is LayoutKind.SLIDING else QuantizedCache
            return kind(
                layout,
                shape,
                batch=batch,
                max_seq_len=max_seq_len,
                dtypes=dtypes,
                device=device,
                pads=pads,
            )


def build_store(
    layout: CacheLayout, shape: ModelShape, batch: int, max_seq_len: int, device: torch.device
) -> PagedStore:
    """Return the pool of a paged layout, as large as it says or as one batch can need."""
    return PagedStore(
        shape,
        num_blocks=layout.blocks_needed(batch, max_seq_len),
        block_size=layout.block_size,
        dtypes=stored_dtypes(layout),
        device=device,
    )


def stored_dtypes(layout: CacheLayout) -> Dtypes:
    """Return what torch calls the dtypes of a layout."""
    k, v = layout.dtypes
    return Dtypes(TORCH_DTYPES[k], TORCH_DTYPES[v])
