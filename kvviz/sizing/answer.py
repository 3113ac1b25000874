"""The calculator's whole answer: the cache's size, why, what fits, and what was assumed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kvviz.sizing.budget import Budget, budget, weight_bytes
from kvviz.sizing.cache_size import CacheSize, model_rows, size_cache
from kvviz.sizing.capacity import Capacity, capacity
from kvviz.sizing.config import ModelConfig
from kvviz.sizing.element_types import BFLOAT16, FLOAT16, FP8, ElementType
from kvviz.sizing.errors import InputError
from kvviz.sizing.formula import formula_lines
from kvviz.sizing.parts import LIMITED, PartKind
from kvviz.sizing.policy import Engine, Load, MlaLayout, Policy, Windows
from kvviz.sizing.question import Question, resolve
from kvviz.sizing.roofline import Roofline, roofline
from kvviz.sizing.stored_types import model_type
from kvviz.sizing.units import count_text
from kvviz.sizing.unused import unused_choices


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question comes to; ``weights`` are one GPU's bytes, None where they are not known."""

    config: ModelConfig
    question: Question
    size: CacheSize
    weights: int | None
    budget: Budget | None
    capacity: Capacity | None
    roofline: Roofline | None
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def policy(self) -> Policy:
        """The choices that were made."""
        return self.size.rows.policy

    @property
    def formula(self) -> tuple[str, ...]:
        """The formula with the numbers put in, line by line."""
        return tuple(formula_lines(self.size))

    @property
    def logs_tokens(self) -> bool:
        """Whether the most tokens that fit are those in vLLM's log, not of the load's sequences."""
        return self.size.rows.pages is not None and self.policy.max_model_len is not None

    @property
    def load(self) -> Load:
        """Tokens, sequences and source."""
        return self.size.load


def ask(config: ModelConfig, question: Question) -> Answer:
    """Return the answer for a model; raise InputError where there is none that is exact."""
    resolved = resolve(config, question)
    size = size_cache(model_rows(config, resolved.policy), resolved.load)
    assumed = [*config.assumptions, *resolved.assumptions]
    weights = _weights(config, question, assumed)
    shared_out = _budget(question, weights, assumed)
    return Answer(
        config,
        question,
        size,
        weights,
        shared_out,
        capacity(size.rows, size.load, shared_out.cache) if shared_out else None,
        _roofline(config, question, size),
        tuple(assumed),
        (
            *config.warnings,
            *_warnings(config, size),
            *_memory_warnings(shared_out, size),
            *unused_choices(question, size),
        ),
    )


def memory_budget(config: ModelConfig, question: Question) -> Budget | None:
    """Return how the memory is shared out, None without a limit; InputError for unknown weights."""
    return _budget(question, _weights(config, question, []), [])


def _roofline(config: ModelConfig, question: Question, size: CacheSize) -> Roofline | None:
    if question.hardware is None:
        return None
    if question.active is None or config.num_heads is None:
        raise InputError(
            "The work of this model is not known: its weights or query heads cannot be counted."
        )
    moved = _moved(config, question, question.active)
    plain = replace(
        size.rows.policy, engine=Engine.EXACT, block_size=None, slots=None, speculative=0
    )
    rows = model_rows(config, plain)
    return roofline(rows, size.load, config.num_heads, question.active, moved)


def _moved(config: ModelConfig, question: Question, active: int) -> int:
    """Return the bytes of ``active`` weights; to guess them would be no lower bound."""
    if question.active_bytes is not None and question.weights_type is None:
        return question.active_bytes
    kind = question.weights_type or _stored_type(config)
    if kind is None:
        raise InputError(
            f"The weights are packed ({config.quantization}), and their bytes are not known: give "
            "the weights dtype."
        )
    return weight_bytes(active, kind, 1)


def _stored_type(config: ModelConfig) -> ElementType | None:
    """Return what the weights are stored in, None where they are packed in an unknown way."""
    if config.quantization is None:
        return model_type(config) or BFLOAT16
    return FP8 if config.quantization == "fp8" else None


def _weights(config: ModelConfig, question: Question, assumed: list[str]) -> int | None:
    if question.weight_bytes is not None and question.weights_type is None:
        assumed.append(f"weights {question.weight_bytes:,} B, as they are stored")
        return -(-question.weight_bytes // question.tp)
    if question.parameters is None:
        return None
    kind = question.weights_type
    if kind is None:
        kind = _stored_type(config)
        if kind is None:
            return None
        assumed.append(f"weights {kind.name}, {question.parameters:,} of them")
    return weight_bytes(question.parameters, kind, question.tp)


def _budget(question: Question, weights: int | None, assumed: list[str]) -> Budget | None:
    if question.cache_memory is not None:
        if question.memory is not None:
            raise InputError("A GPU's memory and the cache's memory are two limits: give one.")
        return Budget(question.cache_memory, None, 0, question.cache_memory)
    if question.memory is None:
        return None
    if weights is None and question.parameters is not None:
        raise InputError(
            "The weights are packed in a way that is not known: give the weights dtype, or the "
            "cache's own memory."
        )
    if weights is None:
        raise InputError(
            "The size of the weights is not known, and comes off the memory: give the number of "
            "parameters and the weights dtype, or the cache's own memory."
        )
    found = budget(question.memory, weights, question.allowance)
    if question.allowance is None:
        assumed.append(f"allowance {found.allowance:,} B: a tenth of the memory")
    return found


def _warnings(config: ModelConfig, size: CacheSize) -> Iterator[str]:
    policy, load = size.rows.policy, size.load
    kinds = {row.kind for row in size.rows.rows}
    if config.max_positions is not None and load.tokens > config.max_positions:
        yield f"{load.tokens:,} tokens are beyond the model's {config.max_positions:,} positions"
    if PartKind.MLA in kinds:
        yield from _latent_warnings(policy)
    if policy.windows is Windows.FULL and kinds.intersection(LIMITED):
        yield "windows full: layers with a window are kept at full length"
    if config.prediction_layers and not policy.speculative:
        yield "layers that draft tokens (MTP) are not counted, unless an engine is told to use them"
    if policy.speculative and PartKind.RECURRENT not in kinds and policy.engine is Engine.EXACT:
        yield "drafted tokens add nothing that is kept here"
    yield from _engine_warnings(size, kinds)


def _memory_warnings(shared_out: Budget | None, size: CacheSize) -> Iterator[str]:
    if shared_out is None:
        return
    if not shared_out.cache:
        yield "weights and allowance take all of the memory: nothing is left for the cache"
    elif shared_out.free(size.per_gpu_bytes) < 0:
        yield "what was asked for does not fit into the memory for the cache"


def _latent_warnings(policy: Policy) -> Iterator[str]:
    if policy.mla is MlaLayout.EXPANDED:
        yield "MLA expanded: keys and values of all heads, as engines without MLA keep them"
        return
    if policy.k_type != policy.v_type:
        yield f"MLA keeps one latent, in the K dtype {policy.k_type.name}; the V dtype is not used"
    if policy.tp > 1:
        yield "the latent is kept whole on every GPU"


def _engine_warnings(size: CacheSize, kinds: set[PartKind]) -> Iterator[str]:
    policy, load = size.rows.policy, size.load
    if policy.engine is Engine.LLAMA_CPP:
        if policy.slots is not None and policy.slots > load.sequences:
            share = "share one context" if policy.kv_unified else "have a context each"
            yield f"llama.cpp: {policy.slots:,} slots {share} of {count_text(load.tokens, 'token')}"
        packed = not {policy.k_type, policy.v_type}.issubset((FLOAT16, BFLOAT16))
        if packed and kinds.intersection(LIMITED) and policy.windows is Windows.CAPPED:
            yield "llama.cpp: newer versions keep windowed layers in f16 whatever is asked for"
    pages = size.rows.pages
    if pages is not None and len(pages.groups) > 1:
        yield (
            f"vLLM: {pages.tables} block tables with blocks of {pages.block:,} tokens; what it "
            "logs as cache size moves with the longest length a request may have"
        )
