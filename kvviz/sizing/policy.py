"""What is kept and by whom: the choices that change an answer, each named and none implied."""

from dataclasses import dataclass
from enum import StrEnum

from kvviz.sizing.element_types import BFLOAT16, FLOAT32, ElementType
from kvviz.sizing.errors import InputError, within

MOST_TOKENS = 10**12
AHEAD = 4  # a load may be so many times longer: the next token, and what charts look ahead
MOST_SEQUENCES = 10**9
MOST_GPUS = 4096


class Engine(StrEnum):
    """Whose bookkeeping is followed: none's, or one engine's."""

    EXACT = "exact"
    VLLM = "vllm"
    LLAMA_CPP = "llama.cpp"


class Windows(StrEnum):
    """Whether a window limits what is kept, or every layer keeps the full length."""

    CAPPED = "capped"
    FULL = "full"


class MlaLayout(StrEnum):
    """Whether MLA keeps its latent, or the heads made from it."""

    LATENT = "latent"
    EXPANDED = "expanded"


class MambaCache(StrEnum):
    """vLLM's mode for recurrent states: one a request, or, for prefix caching, one more."""

    ALIGN = "align"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Policy:
    """Types, engine and layout.  Raises InputError where the choices do not go together.

    ``conv_type`` is of a recurrent layer's convolution, ``block_size`` in tokens; ``slots``,
    ``kv_unified`` (slots share one context) and ``ubatch`` are llama.cpp's, ``mamba_cache``,
    ``batched_tokens`` (tokens in one step) and ``max_model_len`` vLLM's; ``speculative`` tokens
    are drafted a step, ``tp`` GPUs share each layer.
    """

    k_type: ElementType = BFLOAT16
    v_type: ElementType = BFLOAT16
    state_type: ElementType = FLOAT32
    conv_type: ElementType = BFLOAT16
    engine: Engine = Engine.EXACT
    windows: Windows = Windows.CAPPED
    mla: MlaLayout = MlaLayout.LATENT
    block_size: int | None = None
    slots: int | None = None
    kv_unified: bool = True
    ubatch: int = 512
    mamba_cache: MambaCache = MambaCache.ALIGN
    batched_tokens: int = 8192
    max_model_len: int | None = None
    speculative: int = 0
    tp: int = 1

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("block size", self.block_size, 1, 2**20),
            ("slots", self.slots, 1, MOST_SEQUENCES),
            ("ubatch", self.ubatch, 1, MOST_TOKENS),
            ("batched tokens", self.batched_tokens, 1, MOST_TOKENS),
            ("max model length", self.max_model_len, 1, MOST_TOKENS),
            ("speculative tokens", self.speculative, 0, 1024),
            ("tensor parallel GPUs", self.tp, 1, MOST_GPUS),
        ):
            if value is not None:
                within(name, value, low, high)
        if self.engine is Engine.LLAMA_CPP:
            self._check_llama_cpp()
        elif self.slots is not None:
            raise InputError(f"Slots are llama.cpp's: leave them out with engine {self.engine}.")

    @property
    def request_states(self) -> int:
        """States of one recurrent layer that vLLM keeps for a request."""
        own = 2 if self.mamba_cache is MambaCache.ALIGN else 1
        return own + self.speculative

    def _check_llama_cpp(self) -> None:
        if self.tp > 1:
            raise InputError("llama.cpp splits a model by layers, not by heads: leave out tp.")
        if self.block_size is not None:
            raise InputError("llama.cpp keeps cells, not blocks: leave out the block size.")


@dataclass(frozen=True, slots=True)
class Load:
    """How much is kept: tokens of one sequence, sequences, tokens of a source to attend to."""

    tokens: int = 4096
    sequences: int = 1
    source_tokens: int = 0

    def __post_init__(self) -> None:
        within("tokens", self.tokens, 1, AHEAD * MOST_TOKENS)
        within("sequences", self.sequences, 1, MOST_SEQUENCES)
        within("source tokens", self.source_tokens, 0, MOST_TOKENS)
