"""The blocks that all paged requests of one model share: numbers and tensors."""

import torch

from kvviz.cache.block_pool import BlockPool
from kvviz.cache.block_storage import BlockStorage
from kvviz.cache.kv_cache import Dtypes
from kvviz.sizing.shape import ModelShape


class PagedStore:
    """One pool of blocks; block n of every layer belongs to the same tokens.

    ``nbytes`` are those of all blocks, ``block_bytes`` those of one: K and V of every layer.
    """

    def __init__(
        self,
        shape: ModelShape,
        *,
        num_blocks: int,
        block_size: int,
        dtypes: Dtypes,
        device: torch.device,
    ) -> None:
        self.pool = BlockPool(num_blocks)
        self.block_size = block_size
        self.device = device
        sides = tuple(
            [
                BlockStorage(
                    num_blocks, block_size, shape.num_kv_heads, shape.head_dim, dtype, device
                )
                for _ in range(shape.num_layers)
            ]
            for dtype in dtypes
        )
        self.keys, self.values = sides
        # They neither grow nor shrink: read once.
        self.nbytes = sum(side.nbytes for side in (*self.keys, *self.values))
        self.block_bytes = self.nbytes // num_blocks

    @property
    def num_layers(self) -> int:
        """Layers of the model."""
        return len(self.keys)

    def copy_block(self, old: int, new: int) -> None:
        """Copy a block of every layer."""
        for side in (*self.keys, *self.values):
            side.copy_block(old, new)
