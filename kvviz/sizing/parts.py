"""What one decoder layer keeps: the kinds of cache part, in elements; bytes are made elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from kvviz.sizing.shape import CachePart


class PartKind(StrEnum):
    """The kinds of cache part, as JSON names them."""

    FULL = "full"
    SLIDING = "sliding"
    CHUNKED = "chunked"
    MLA = "mla"
    RECURRENT = "recurrent"
    CROSS = "cross"


LIMITED = (PartKind.SLIDING, PartKind.CHUNKED)


@dataclass(frozen=True, slots=True)
class AttentionPart:
    """K and V for each token: of all (full), of the last ``window`` (sliding), of one chunk.

    ``index_width`` is the key of a sparse-attention indexer beside them, 0 where there is none.
    """

    heads: CachePart
    kind: PartKind = PartKind.FULL
    window: int | None = None
    index_width: int = 0


@dataclass(frozen=True, slots=True)
class LatentPart:
    """MLA: one latent and one rotary key a token, shared by all heads; K and V are made from it.

    ``index_width`` is the key of a sparse-attention indexer, 0 where the layer owns none;
    ``sparse`` says that attention follows an indexer's choice, its own or an earlier layer's;
    ``heads`` are the K and V of an engine that keeps them expanded.
    """

    latent: int
    rope: int
    heads: CachePart
    index_width: int = 0
    sparse: bool = False

    @property
    def kind(self) -> PartKind:
        """Always ``mla``."""
        return PartKind.MLA


@dataclass(frozen=True, slots=True)
class StatePart:
    """A recurrent layer's state: one size a sequence, whatever its length, all in elements.

    ``heads`` matrices of ``head_elements``; besides, a short convolution keeps its last
    ``conv_kernel - 1`` inputs of ``conv_head_width`` per head and of ``conv_groups`` groups of
    ``conv_group_width``, which several heads share.  ``name`` is the recurrence's.
    """

    name: str
    heads: int
    head_elements: int
    conv_kernel: int = 1
    conv_head_width: int = 0
    conv_groups: int = 0
    conv_group_width: int = 0

    @property
    def kind(self) -> PartKind:
        """Always ``recurrent``."""
        return PartKind.RECURRENT


@dataclass(frozen=True, slots=True)
class CrossPart:
    """K and V of the source: as long as what is attended to, and fixed once it is encoded."""

    heads: CachePart

    @property
    def kind(self) -> PartKind:
        """Always ``cross``."""
        return PartKind.CROSS


Part = AttentionPart | LatentPart | StatePart | CrossPart


@dataclass(frozen=True, slots=True)
class LayerParts:
    """The cache parts of one decoder layer; none where it shares an earlier layer's, or needs none.

    ``shares_with`` is the layer (from 0) whose cache it reads, None where it owns what it reads.
    """

    parts: tuple[Part, ...] = ()
    shares_with: int | None = None

    @property
    def attention(self) -> AttentionPart | None:
        """Its K and V of text tokens, if it keeps some."""
        return next((part for part in self.parts if isinstance(part, AttentionPart)), None)

    @property
    def attends_to_source(self) -> bool:
        """Whether it keeps K and V of a source."""
        return any(isinstance(part, CrossPart) for part in self.parts)


NOTHING = LayerParts()
KIND_OF_LAYER_TYPE: Mapping[str, PartKind] = MappingProxyType(
    {
        "full_attention": PartKind.FULL,
        "sliding_attention": PartKind.SLIDING,
        "chunked_attention": PartKind.CHUNKED,
    }
)
