"""How keys and values are kept, and what that takes: the one description both sides share."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from kvviz.sizing.dtypes import DType
from kvviz.sizing.shape import CachePart


class LayoutKind(StrEnum):
    """The ways to keep a cache; ``none`` feeds the full prefix at each step."""

    NONE = "none"
    CONCAT = "concat"
    PREALLOCATED = "preallocated"


@dataclass(frozen=True, slots=True)
class CacheBytes:
    """One step's cache, in bytes over all layers and sequences.

    used: live payload after the step; reserved: allocated; peak: highest during the step;
    copied: old entries moved again by the step.
    """

    used: int = 0
    reserved: int = 0
    peak: int = 0
    copied: int = 0

    @property
    def slack(self) -> int:
        """Reserved but not used, in bytes."""
        return self.reserved - self.used


@dataclass(frozen=True, slots=True)
class CacheLayout:
    """A layout and the dtype it stores."""

    kind: LayoutKind = LayoutKind.PREALLOCATED
    kv_dtype: DType = DType.FLOAT32

    @property
    def keeps_entries(self) -> bool:
        """Whether a decode step feeds only the newest token."""
        return self.kind is not LayoutKind.NONE

    def payload(self, parts: Sequence[CachePart], batch: int, tokens: int) -> int:
        """Bytes of ``tokens`` entries: 2 x layers x batch x tokens x KV heads x head_dim x bytes.

        The usual formula, added up layer by layer so that K and V may differ in width.
        """
        if not self.keeps_entries:
            return 0
        elements = sum(part.elements_per_token for part in parts)
        return batch * tokens * elements * self.kv_dtype.bits // 8

    def predict(
        self, parts: Sequence[CachePart], *, batch: int, before: int, after: int, max_seq_len: int
    ) -> CacheBytes:
        """Predict a step that takes the cache from ``before`` to ``after`` tokens per sequence."""
        used = self.payload(parts, batch, after)
        if self.kind is LayoutKind.PREALLOCATED:
            reserved = self.payload(parts, batch, max_seq_len)
            return CacheBytes(used=used, reserved=reserved, peak=reserved)
        # torch.cat moves the whole history, and the old cache lives until the forward returns.
        old = self.payload(parts, batch, before)
        return CacheBytes(used=used, reserved=used, peak=old + used, copied=old)
