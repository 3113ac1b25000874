"""The pool of blocks that runs of one model share, so that a prefix is computed once."""

import weakref

import torch

from kvviz.cache.build import build_store
from kvviz.cache.paged_store import PagedStore
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.trace.config import RunConfig

Key = tuple[object, ...]


class SharedPool:
    """Keeps one store from run to run; it goes when a run wants another, or another model."""

    def __init__(self) -> None:
        self._kept: tuple[Key, PagedStore] | None = None

    @property
    def num_bytes(self) -> int:
        """Bytes of the store's tensors, 0 where there is none."""
        return self._kept[1].nbytes if self._kept else 0

    def store_for(self, config: RunConfig, device: torch.device) -> PagedStore | None:
        """Return the store that a run shares with those before it; None if it shares none."""
        if not config.shares_pool or config.layout.kind is not LayoutKind.PAGED:
            return None
        key = _key(config)
        if self._kept is None or self._kept[0] != key:
            self._kept = None  # first, so that two pools are never there together
            shape, layout = config.model.shape, config.layout
            self._kept = (
                key,
                build_store(layout, shape, config.batch, config.max_seq_len, device),
            )
        return self._kept[1]

    def drop(self) -> int:
        """Let go of the store; return the bytes of those of its tensors that nobody else holds."""
        if self._kept is None:
            return 0
        store = self._kept[1]
        watched = [(weakref.ref(side), side.nbytes) for side in (*store.keys, *store.values)]
        self._kept = None
        del store
        return sum(num_bytes for side, num_bytes in watched if side() is None)


def _key(config: RunConfig) -> Key:
    layout: CacheLayout = config.layout
    blocks = layout.blocks_needed(config.batch, config.max_seq_len)
    return config.model, config.dtype, config.device, layout, blocks
