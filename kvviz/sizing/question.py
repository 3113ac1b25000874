"""What a person asks of the calculator; what is None is decided by the model, and listed."""

from collections.abc import Iterator
from dataclasses import dataclass

from kvviz.sizing.cells import WITHOUT_WINDOWS
from kvviz.sizing.config import ModelConfig
from kvviz.sizing.element_types import ElementType
from kvviz.sizing.errors import InputError, within
from kvviz.sizing.hardware import Hardware
from kvviz.sizing.parts import LIMITED, PartKind, StatePart
from kvviz.sizing.policy import MOST_TOKENS, Engine, Load, MambaCache, MlaLayout, Policy, Windows
from kvviz.sizing.stored_types import usual_cache_type, usual_conv_type, usual_state_type
from kvviz.sizing.units import count_text
from kvviz.sizing.vllm_pages import MLA_UNIT, UNIT

USUAL_TOKENS = 4096
MOST_BYTES = 10**18
USUAL_UBATCH, USUAL_BATCH = 512, 8192


@dataclass(frozen=True, slots=True)
class Question:
    """Types, load, policy and memory, as typed.

    ``memory`` is a GPU's, of which weights and ``allowance`` come off; ``cache_memory`` is all for
    the cache; bytes.  ``parameters`` is the number of weights where it is known, ``weight_bytes``
    what they take over all GPUs as stored, ``active`` how many one token is multiplied with and
    ``active_bytes`` what these take as stored.
    """

    tokens: int | None = None
    sequences: int = 1
    source_tokens: int | None = None
    k_type: ElementType | None = None
    v_type: ElementType | None = None
    state_type: ElementType | None = None
    engine: Engine = Engine.EXACT
    windows: Windows = Windows.CAPPED
    mla: MlaLayout = MlaLayout.LATENT
    block_size: int | None = None
    slots: int | None = None
    kv_unified: bool = True
    mamba_cache: MambaCache = MambaCache.ALIGN
    ubatch: int | None = None
    batched_tokens: int | None = None
    max_model_len: int | None = None
    speculative: int = 0
    tp: int = 1
    memory: int | None = None
    cache_memory: int | None = None
    allowance: int | None = None
    weights_type: ElementType | None = None
    parameters: int | None = None
    weight_bytes: int | None = None
    active: int | None = None
    active_bytes: int | None = None
    hardware: Hardware | None = None

    def __post_init__(self) -> None:
        for name, value, low in (
            ("memory", self.memory, 1),
            ("memory", self.cache_memory, 1),
            ("allowance", self.allowance, 0),
            ("parameters", self.parameters, 1),
        ):
            if value is not None:
                within(name, value, low, MOST_BYTES)


@dataclass(frozen=True, slots=True)
class Resolved:
    """The question with every choice made, and each that was not the person's listed."""

    policy: Policy
    load: Load
    assumptions: tuple[str, ...]


def resolve(config: ModelConfig, question: Question) -> Resolved:
    """Return the policy and load for ``config``; raise InputError where they contradict."""
    assumed: list[str] = []
    k_type, v_type = _cache_types(config, question, assumed)
    policy = Policy(
        k_type,
        v_type,
        *_state_types(config, question, assumed),
        engine=question.engine,
        windows=_windows(config, question, assumed),
        mla=question.mla,
        block_size=question.block_size,
        slots=question.slots,
        kv_unified=question.kv_unified,
        mamba_cache=question.mamba_cache,
        ubatch=USUAL_UBATCH if question.ubatch is None else question.ubatch,
        batched_tokens=USUAL_BATCH if question.batched_tokens is None else question.batched_tokens,
        max_model_len=question.max_model_len,
        speculative=question.speculative,
        tp=question.tp,
    )
    tokens = _tokens(config, question, assumed)
    load = Load(tokens, question.sequences, _source(config, question, tokens, assumed))
    assumed += _engine_choices(config, question)
    return Resolved(policy, load, tuple(assumed))


def _cache_types(
    config: ModelConfig, question: Question, assumed: list[str]
) -> tuple[ElementType, ElementType]:
    if question.k_type is not None and question.v_type is not None:
        return question.k_type, question.v_type
    usual, why = usual_cache_type(config, question.engine)
    assumed.append(f"KV dtype {usual.name}: {why}")
    return question.k_type or usual, question.v_type or usual


def _state_types(
    config: ModelConfig, question: Question, assumed: list[str]
) -> tuple[ElementType, ElementType]:
    conv = usual_conv_type(config, question.engine)
    states = [part for part in config.distinct_parts if isinstance(part, StatePart)]
    state, why = usual_state_type(config, states, question.engine)
    if question.state_type is not None:
        state = question.state_type
    elif states:
        assumed.append(f"state dtype {state.name}: {why}")
    if any(part.conv_kernel > 1 for part in states):
        assumed.append(f"convolution inputs {conv.name}, {states[0].conv_kernel - 1} of them")
    return state, conv


def _windows(config: ModelConfig, question: Question, assumed: list[str]) -> Windows:
    if question.engine is not Engine.LLAMA_CPP:
        return question.windows
    if config.model_type.removesuffix("_text") not in WITHOUT_WINDOWS:
        return question.windows
    if any(config.windows):
        assumed.append(f"windows full: llama.cpp keeps every token of {config.model_type}")
    return Windows.FULL


def _engine_choices(config: ModelConfig, question: Question) -> Iterator[str]:
    """Say which of an engine's own settings the answer rests on."""
    kinds = {part.kind for part in config.distinct_parts}
    limited = question.windows is Windows.CAPPED and kinds.intersection(LIMITED)
    if question.engine is Engine.LLAMA_CPP and limited and question.ubatch is None:
        yield f"ubatch {USUAL_UBATCH}: llama.cpp's own"
    if question.engine is not Engine.VLLM:
        return
    if question.block_size is None and PartKind.RECURRENT not in kinds:
        latent = PartKind.MLA in kinds and question.mla is MlaLayout.LATENT
        yield f"block size {MLA_UNIT if latent else UNIT}: vLLM's own"
    if limited and question.batched_tokens is None:
        yield f"{USUAL_BATCH:,} tokens in one step: vLLM's own"
    if PartKind.RECURRENT in kinds:
        states = "2 states" if question.mamba_cache is MambaCache.ALIGN else "1 state"
        yield f"{states} a request and one for each draft: mamba cache {question.mamba_cache}"


def _tokens(config: ModelConfig, question: Question, assumed: list[str]) -> int:
    if question.tokens is not None:
        within("tokens", question.tokens, 1, MOST_TOKENS)
        return question.tokens
    tokens = question.max_model_len or min(USUAL_TOKENS, config.max_positions or USUAL_TOKENS)
    assumed.append(f"tokens {tokens:,}: none were given")
    return tokens


def _source(config: ModelConfig, question: Question, tokens: int, assumed: list[str]) -> int:
    crossing = [layer for layer, _ in config.groups if layer.attends_to_source]
    if not crossing:
        if question.source_tokens:
            raise InputError("The model attends to no source: leave the source tokens out.")
        return 0
    if question.source_tokens is not None:
        return question.source_tokens
    if config.source_positions is not None:
        assumed.append(f"source {count_text(config.source_positions, 'token')}: the model's own")
        return config.source_positions
    if crossing[0].attention is None:
        assumed.append("source 0 tokens: no picture was given")
        return 0
    assumed.append(f"source {count_text(tokens, 'token')}: as many as are generated")
    return tokens
