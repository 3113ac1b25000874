"""How keys and values are kept, and what that takes: the one description both sides share."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import gcd
from typing import NamedTuple

from kvviz.sizing.blocks import blocks_for, scratch_blocks
from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError, within
from kvviz.sizing.shape import CachePart

QUANTIZED_BITS = (8, 4)
MOST_BLOCK_SIZE = 256


class LayoutKind(StrEnum):
    """The ways to keep a cache; ``none`` feeds the full prefix at each step."""

    NONE = "none"
    CONCAT = "concat"
    PREALLOCATED = "preallocated"
    PAGED = "paged"
    SLIDING = "sliding"
    QUANTIZED = "quantized"


class CacheBytes(NamedTuple):
    """One step's cache, in bytes over all layers and sequences.

    used: live payload after the step; reserved: allocated for this run (paged: its blocks); peak:
    highest during the step; copied: old entries moved again by the step; pool: the storage that
    reserved blocks are part of; gathered: stored entries read into a scratch by the step.
    """

    used: int = 0
    reserved: int = 0
    peak: int = 0
    copied: int = 0
    pool: int = 0
    gathered: int = 0

    @property
    def slack(self) -> int:
        """Reserved but not used, in bytes: room, padding, empty slots of blocks."""
        return self.reserved - self.used

    @property
    def allocated(self) -> int:
        """What the process holds at the peak, the pool's other blocks with it, in bytes."""
        return self.peak + max(0, self.pool - self.reserved)


@dataclass(frozen=True, slots=True)
class CacheLayout:
    """A layout and the dtypes it stores; raises InputError where they do not go together.

    ``kv_dtype`` is that of K, and of V too unless ``v_dtype`` says otherwise.  paged: tokens of a
    block, and blocks of the pool (0: as many as the run can need).  sliding: keys a query may see,
    itself included, and first tokens kept besides.  quantized: bits of a code, elements that share
    a scale at most (a power of two, halved until it divides a head), and newest tokens that stay
    in ``kv_dtype``, which scales have too.
    """

    kind: LayoutKind = LayoutKind.PREALLOCATED
    kv_dtype: DType = DType.FLOAT32
    v_dtype: DType | None = None
    block_size: int = 16
    num_blocks: int = 0
    window: int = 64
    sinks: int = 0
    bits: int = 8
    group: int = 32
    residual: int = 0

    def __post_init__(self) -> None:
        within("A block's tokens", self.block_size, 1, MOST_BLOCK_SIZE)
        within("A pool's blocks", self.num_blocks, 0, 2**24)
        within("A window's tokens", self.window, 1, 2**24)
        within("Sink tokens", self.sinks, 0, 2**16)
        within("A residual's tokens", self.residual, 0, 2**24)
        if self.bits not in QUANTIZED_BITS:
            raise InputError(f"Codes of {self.bits} bits are not there: choose int8 or int4.")
        if not 2 <= self.group <= 1024 or self.group & (self.group - 1):
            raise InputError(f"A group must be a power of two from 2 to 1,024, not {self.group}.")
        if self.kind is LayoutKind.QUANTIZED and DType.FLOAT8_E4M3 in self.dtypes:
            raise InputError(
                "A quantized cache keeps its scales in the KV dtype, and float8_e4m3 is too "
                "coarse for them: choose float32, bfloat16 or float16."
            )

    @property
    def dtypes(self) -> tuple[DType, DType]:
        """What K and V are stored in."""
        return self.kv_dtype, self.v_dtype or self.kv_dtype

    @property
    def keeps_entries(self) -> bool:
        """Whether a decode step feeds only the newest token."""
        return self.kind is not LayoutKind.NONE

    @property
    def most_held(self) -> int:
        """Tokens of a sequence that are held at most, 0 for all."""
        return self.window + self.sinks if self.kind is LayoutKind.SLIDING else 0

    def group_of(self, width: int) -> int:
        """Return how many elements of a head ``width`` wide share one scale."""
        return gcd(self.group, width)

    def check(self, parts: Sequence[CachePart]) -> None:
        """Raise InputError if heads of these widths cannot be kept so."""
        odd = next((p for p in parts if p.k_width % 2 or p.v_width % 2), None)
        if self.kind is LayoutKind.QUANTIZED and self.bits == 4 and odd is not None:
            raise InputError(
                f"int4 keeps two elements in a byte, so head size {odd.k_width} must be even."
            )

    def held(self, seen: int) -> int:
        """Return how many of ``seen`` tokens of a sequence are still held."""
        if self.kind is LayoutKind.SLIDING:
            return min(seen, self.most_held)
        return seen if self.keeps_entries else 0

    def blocks_needed(self, batch: int, max_seq_len: int) -> int:
        """Return how many blocks the pool has, by default what the batch can need at most."""
        return self.num_blocks or batch * blocks_for(max_seq_len, self.block_size)

    def payload(self, parts: Sequence[CachePart], batch: int, tokens: int) -> int:
        """Bytes of ``tokens`` entries: 2 x layers x batch x tokens x KV heads x head_dim x bytes.

        The usual formula, added up layer by layer so that K and V may differ in width and dtype.
        """
        held = batch * self.held(tokens)
        if self.kind is not LayoutKind.QUANTIZED:
            return held * self._plain(parts)
        coded = batch * max(0, tokens - self.residual)
        return coded * self._coded(parts) + (held - coded) * self._plain(parts)

    def scale_bytes(self, parts: Sequence[CachePart]) -> int:
        """Bytes of one quantized token's scales: those of its codes not counted."""
        return sum(
            part.kv_heads * width // self.group_of(width) * dtype.bits // 8
            for part in parts
            for width, dtype in zip((part.k_width, part.v_width), self.dtypes, strict=True)
        )

    def code_bytes(self, parts: Sequence[CachePart]) -> int:
        """Bytes of one quantized token's codes."""
        return sum(part.kv_heads * (part.k_width + part.v_width) * self.bits // 8 for part in parts)

    def predict(
        self,
        parts: Sequence[CachePart],
        *,
        batch: int,
        before: int,
        after: int,
        max_seq_len: int,
        pads: Sequence[int] = (),
    ) -> CacheBytes:
        """Predict a step that takes the cache from ``before`` to ``after`` tokens per sequence.

        ``pads`` are what each row of an unequal batch lacks of that length, at its beginning.
        """
        rows = [max(0, after - pad) for pad in pads or (0,) * batch]
        match self.kind:
            case LayoutKind.NONE:
                return CacheBytes()
            case LayoutKind.CONCAT:
                return self._concat(parts, rows, before, after)
            case LayoutKind.PREALLOCATED:
                used, reserved = sum(rows), batch * max_seq_len
                one = self._plain(parts)
                return CacheBytes(used * one, reserved * one, reserved * one)
            case LayoutKind.PAGED:
                return self._paged(parts, rows, max_seq_len)
            case LayoutKind.SLIDING:
                old = [max(0, before - pad) for pad in pads or (0,) * batch]
                return self._sliding(parts, old, rows, after - before, max_seq_len)
            case LayoutKind.QUANTIZED:
                return self._quantized(parts, rows, after, max_seq_len)

    def _concat(
        self, parts: Sequence[CachePart], rows: list[int], before: int, after: int
    ) -> CacheBytes:
        # torch.cat moves the whole history, and the old cache lives until the forward returns.
        one, batch = self._plain(parts), len(rows)
        old, reserved = before * batch * one, after * batch * one
        return CacheBytes(sum(rows) * one, reserved, old + reserved, old)

    def _paged(self, parts: Sequence[CachePart], rows: list[int], max_seq_len: int) -> CacheBytes:
        one, size = self._plain(parts), self.block_size
        blocks = [blocks_for(tokens, size) for tokens in rows]
        reserved = sum(blocks) * size * one
        # Every row is gathered to the length of the longest, whole blocks, one layer at a time.
        gathered = len(rows) * max(blocks) * size
        scratch = scratch_blocks(len(rows) * max(blocks)) * size
        return CacheBytes(
            used=sum(rows) * one,
            reserved=reserved,
            peak=reserved + scratch * self._widest(parts),
            pool=self.blocks_needed(len(rows), max_seq_len) * size * one,
            gathered=gathered * one,
        )

    def _sliding(
        self,
        parts: Sequence[CachePart],
        old: list[int],
        rows: list[int],
        fed: int,
        max_seq_len: int,
    ) -> CacheBytes:
        one = self._plain(parts)
        reserved = len(rows) * min(self.most_held, max_seq_len) * one
        held = max(map(self.held, old))
        # Several queries need keys that the step's own tokens push out: both lie in a scratch.
        joined = len(rows) * (held + fed) if held and fed > 1 else 0
        return CacheBytes(
            used=sum(map(self.held, rows)) * one,
            reserved=reserved,
            peak=reserved + joined * self._widest(parts),
            gathered=len(rows) * held * one if joined else 0,
        )

    def _quantized(
        self, parts: Sequence[CachePart], rows: list[int], after: int, max_seq_len: int
    ) -> CacheBytes:
        plain, coded, batch = self._plain(parts), self._coded(parts), len(rows)
        residual = min(self.residual, max_seq_len)
        reserved = batch * ((max_seq_len - residual) * coded + residual * plain)
        whole = [min(tokens, self.residual) for tokens in rows]
        used = sum(
            (tokens - kept) * coded + kept * plain for tokens, kept in zip(rows, whole, strict=True)
        )
        # What attention reads is a scratch of one layer in the KV dtype, gone after the step.
        return CacheBytes(used, reserved, reserved + batch * after * self._widest(parts))

    def _plain(self, parts: Sequence[CachePart]) -> int:
        return sum(self._token_bytes(parts))

    def _widest(self, parts: Sequence[CachePart]) -> int:
        return max(self._token_bytes(parts))

    def _token_bytes(self, parts: Sequence[CachePart]) -> list[int]:
        """Bytes of one token in each layer."""
        k, v = (dtype.bits for dtype in self.dtypes)
        return [part.kv_heads * (part.k_width * k + part.v_width * v) // 8 for part in parts]

    def _coded(self, parts: Sequence[CachePart]) -> int:
        """Bytes of one token's codes and scales."""
        return self.code_bytes(parts) + self.scale_bytes(parts)
