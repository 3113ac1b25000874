"""Choices that change nothing, because another engine or another kind of layer has them."""

from collections.abc import Iterator

from kvviz.sizing.cache_size import CacheSize
from kvviz.sizing.parts import LIMITED, PartKind
from kvviz.sizing.policy import Engine, MambaCache, MlaLayout, Windows
from kvviz.sizing.question import Question

LEAST_MEMORY = 2**20  # fewer bytes than that are a unit forgotten


def unused_choices(question: Question, size: CacheSize) -> Iterator[str]:
    """Say of each choice that was made in vain why it was."""
    kinds = {part.kind for part in size.rows.config.distinct_parts}
    yield from _of_another_engine(question)
    if question.windows is Windows.FULL and not kinds.intersection(LIMITED):
        yield "windows full changes nothing: no layer has a window"
    if question.mla is MlaLayout.EXPANDED and PartKind.MLA not in kinds:
        yield "MLA expanded changes nothing: no layer keeps a latent"
    if question.state_type is not None and PartKind.RECURRENT not in kinds:
        yield "the state dtype changes nothing: no layer keeps a state"
    if question.max_model_len is not None and question.max_model_len < size.load.tokens:
        longest, tokens = question.max_model_len, size.load.tokens
        yield f"{tokens:,} tokens are more than the longest request is told to have, {longest:,}"
    for name, memory in (("memory", question.memory), ("cache memory", question.cache_memory)):
        if memory is not None and memory < LEAST_MEMORY:
            yield f"the {name} is {memory:,} bytes: a unit may be missing, such as {memory}GiB"


def _of_another_engine(question: Question) -> Iterator[str]:
    llama, vllm = Engine.LLAMA_CPP, Engine.VLLM
    for name, given, owner in (
        ("ubatch", question.ubatch is not None, llama),
        ("a context for each slot", not question.kv_unified, llama),
        ("the tokens of one step", question.batched_tokens is not None, vllm),
        ("the mamba cache mode", question.mamba_cache is not MambaCache.ALIGN, vllm),
    ):
        if given and question.engine is not owner:
            whose = {llama: "llama.cpp's", vllm: "vLLM's"}[owner]
            yield f"{name} changes nothing: it is {whose}, and the engine is {question.engine}"
