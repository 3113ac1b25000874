"""What makes one family of transformers another than the next, beyond its sizes.  No torch."""

from dataclasses import dataclass
from enum import StrEnum


class Norm(StrEnum):
    """How a row is normalised."""

    LAYER = "LayerNorm"
    RMS = "RMSNorm"


class Activation(StrEnum):
    """What the feed-forward does between its two products."""

    GELU = "gelu"
    GELU_TANH = "gelu_tanh"
    SILU = "silu"
    RELU = "relu"


class HeadNorm(StrEnum):
    """What of queries and keys is normalised before they are turned."""

    NONE = "none"
    EACH = "each head"
    ALL = "all heads together"


class Residual(StrEnum):
    """Where the norms stand round attention and feed-forward, and what the two are fed."""

    BEFORE = "before"
    AFTER = "after"
    AROUND = "before and after"
    PARALLEL = "before, both fed the same rows"


class Scaling(StrEnum):
    """How RoPE reaches beyond the length it was trained for."""

    DEFAULT = "default"
    LINEAR = "linear"
    DYNAMIC = "dynamic"
    LLAMA3 = "llama3"
    YARN = "yarn"


@dataclass(frozen=True, slots=True)
class Rotation:
    """RoPE: the angles of each position, and how much of a head they turn.

    ``width`` elements of a head turn, all where None.  ``original`` is the length in tokens that
    the angles were made for, which every scaling but the default and the linear one needs.
    ``magnitude`` multiplies what is turned (yarn's attention factor).
    """

    theta: float = 10_000.0
    width: int | None = None
    scaling: Scaling = Scaling.DEFAULT
    factor: float = 1.0
    original: int = 0
    magnitude: float = 1.0
    low_frequency: float = 1.0
    high_frequency: float = 4.0
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    truncate: bool = True

    @property
    def follows_length(self) -> bool:
        """Whether a position's angles depend on how long the sequence is.

        Keys then keep the angles of the length at which they were written, so a cached run and
        an uncached one may differ beyond ``original`` tokens.
        """
        return self.scaling is Scaling.DYNAMIC


@dataclass(frozen=True, slots=True)
class Architecture:
    """One family's arithmetic; the defaults are the tutorial's model.

    ``norm_offset`` is added to an RMSNorm's weights.  ``local_rope`` turns the layers that have a
    window, where those turn otherwise than the rest.  Logits l become c * tanh(l / c) with
    ``logit_cap`` c, 0 leaves them.  ``tied_head`` reads the logits off the embedding.
    """

    norm: Norm = Norm.LAYER
    norm_eps: float = 1e-5
    norm_offset: float = 0.0
    head_norm: HeadNorm = HeadNorm.NONE
    residual: Residual = Residual.BEFORE
    activation: Activation = Activation.GELU
    gated: bool = False
    qkv_bias: bool = True
    out_bias: bool = True
    ffn_bias: bool = True
    rope: Rotation = Rotation()
    local_rope: Rotation | None = None
    embedding_scale: float = 1.0
    logit_cap: float = 0.0
    tied_head: bool = False

    @property
    def norm_before(self) -> bool:
        """Whether attention and feed-forward read normalised rows."""
        return self.residual is not Residual.AFTER

    @property
    def norm_after(self) -> bool:
        """Whether what attention and feed-forward add is normalised."""
        return self.residual in (Residual.AFTER, Residual.AROUND)


TUTORIAL = Architecture()
