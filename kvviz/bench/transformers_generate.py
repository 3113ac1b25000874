"""Greedy decode against transformers' own cached ``generate``, same weights, same tokens.

Starcoder2's architecture is ours with RoPE: LayerNorm, biases, GELU, grouped queries.
"""

import importlib.util
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import torch
from torch import Tensor

from kvviz.bench.measure import Measure, failure, hand_in, interleaved
from kvviz.engine.generate import Generation
from kvviz.engine.load import load_model
from kvviz.engine.tokenizer import IdTokenizer
from kvviz.model.transformer import Transformer
from kvviz.sizing.dtypes import DType
from kvviz.sizing.shape import ModelShape, Positions
from kvviz.trace.config import ModelSpec, RunConfig, TokenizerKind
from kvviz.trace.trace import Trace

SHAPE = ModelShape(4, 8, 2, 16, 256, Positions.ROPE)
PROMPT_TOKENS = 64
NEW_TOKENS = 128
ROUNDS = 9
NOT_INSTALLED = "transformers is not installed: pip install '.[test]' brings it"
NAMES = {
    "token_emb.": "model.embed_tokens.",
    "blocks.": "model.layers.",
    "attn_norm.": "input_layernorm.",
    ".attn.out.": ".self_attn.o_proj.",
    ".attn.": ".self_attn.",
    "ffn_norm.": "post_attention_layernorm.",
    "ffn.0.": "mlp.c_fc.",
    "ffn.2.": "mlp.c_proj.",
}


def generate_speeds() -> Measure:
    """Return tokens/s of decode; without transformers only ours."""
    config = RunConfig(
        model=ModelSpec(SHAPE),
        prompt_ids=tuple(range(PROMPT_TOKENS)),
        tokenizer=TokenizerKind.IDS,
        max_new_tokens=NEW_TOKENS,
        max_seq_len=PROMPT_TOKENS + NEW_TOKENS,
    )
    model = load_model(config.model, DType.FLOAT32, torch.device("cpu"))
    ours = our_run(config, model)
    if importlib.util.find_spec("transformers") is None:
        return Measure(median(ours()[0] for _ in range(ROUNDS)), reason=NOT_INSTALLED)
    theirs = their_run(config, starcoder2(model))
    if ours()[1] != theirs()[1]:
        return failure("the two models did not choose the same tokens: nothing to compare")
    return interleaved(lambda: ours()[0], lambda: theirs()[0], ROUNDS)


def our_run(config: RunConfig, model: Transformer) -> Callable[[], tuple[float, list[int]]]:
    """Return what generates once, all that a step records included: tokens/s, the tokens."""

    def run() -> tuple[float, list[int]]:
        trace, ends = Trace(config), []
        for step, arrays in Generation(config, model, IdTokenizer()).run():
            trace.append(step, arrays)
            ends.append(perf_counter())
        return decode_speed(ends), trace.generated_ids

    return run


def their_run(config: RunConfig, theirs: Any) -> Callable[[], tuple[float, list[int]]]:
    """Return what generates once with a model of transformers: tokens/s, the tokens."""
    new_tokens = config.max_new_tokens
    theirs.generation_config.eos_token_id = None  # ours goes on too
    prompt = torch.tensor([config.prompt_ids])
    mask = torch.ones_like(prompt)

    def run() -> tuple[float, list[int]]:
        stream = Stream()
        ids = theirs.generate(
            prompt,
            attention_mask=mask,
            max_new_tokens=new_tokens,
            do_sample=False,
            use_cache=True,
            streamer=stream,
        )
        return decode_speed(stream.ends[1:]), ids[0, -new_tokens:].tolist()

    return run


class Stream:
    """When transformers handed over the prompt, and then each token."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def put(self, ids: Tensor) -> None:
        """Note the time."""
        self.ends.append(perf_counter())

    def end(self) -> None:
        """There is nothing left to hand over."""


def decode_speed(ends: list[float]) -> float:
    """Return tokens/s behind the first token, of the moments (s) at which tokens were there."""
    return (len(ends) - 1) / (ends[-1] - ends[0])


def starcoder2(model: Transformer) -> Any:
    """Return transformers' model with the weights of ours."""
    transformers: Any = importlib.import_module("transformers")
    shape = model.shape
    config = transformers.Starcoder2Config(
        vocab_size=shape.vocab_size,
        hidden_size=shape.hidden_size,
        intermediate_size=shape.ffn_size,
        num_hidden_layers=shape.num_layers,
        num_attention_heads=shape.num_heads,
        num_key_value_heads=shape.num_kv_heads,
        hidden_act="gelu",
        norm_epsilon=1e-5,
        use_bias=True,
        tie_word_embeddings=False,
        max_position_embeddings=4096,
        sliding_window=None,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
        attn_implementation="sdpa",
    )
    theirs = transformers.Starcoder2ForCausalLM(config).eval()
    theirs.load_state_dict({_their_name(k): v for k, v in model.state_dict().items()})
    return theirs


def _their_name(name: str) -> str:
    if name.startswith("norm."):
        return f"model.{name}"
    for ours, theirs in NAMES.items():
        name = name.replace(ours, theirs)
    return name


if __name__ == "__main__":
    torch.set_num_threads(1)
    hand_in({"transformers": generate_speeds()})
