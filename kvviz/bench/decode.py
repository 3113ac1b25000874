"""Decode with a preallocated cache against the tutorial's loop, same weights, same tokens.

python -m kvviz.bench.decode 2048
"""

import sys
from collections.abc import Callable
from itertools import islice
from time import perf_counter

import torch

from kvviz.bench.measure import Measure, hand_in, interleaved
from kvviz.bench.tutorial import TinyCausalLM
from kvviz.engine.generate import Generation
from kvviz.engine.load import load_model
from kvviz.engine.tokenizer import IdTokenizer
from kvviz.model.transformer import Transformer
from kvviz.sizing.dtypes import DType
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelSpec, RunConfig, TokenizerKind
from kvviz.trace.trace import Trace

ROUNDS = 24
STEPS = 16  # of one half of a round; the cache grows by as much
WARM_UP = 16


def decode_speeds(cached: int) -> Measure:
    """Return tokens/s while both caches grow from below to above ``cached`` tokens."""
    spec = ModelSpec(ModelShape())
    model = load_model(spec, DType.FLOAT32, torch.device("cpu"))
    steps = WARM_UP + ROUNDS * STEPS
    prompt_ids = tuple(index % spec.shape.vocab_size for index in range(cached - steps // 2))
    config = RunConfig(
        model=spec,
        prompt_ids=prompt_ids,
        tokenizer=TokenizerKind.IDS,
        max_new_tokens=steps + 1,
        max_seq_len=len(prompt_ids) + steps + 1,
    )
    return interleaved(our_loop(config, model), tutorial_loop(config, model), ROUNDS)


def our_loop(config: RunConfig, model: Transformer) -> Callable[[], float]:
    """Return what decodes STEPS tokens, all that a step records included, and tells tokens/s."""
    trace = Trace(config)
    run = Generation(config, model, IdTokenizer()).run()

    def go_on(steps: int = STEPS) -> float:
        begin = perf_counter()
        for step, arrays in islice(run, steps):
            trace.append(step, arrays)
        return steps / (perf_counter() - begin)

    go_on(1 + WARM_UP)
    return go_on


def tutorial_loop(config: RunConfig, model: Transformer) -> Callable[[], float]:
    """Return the loop that tutorials teach, on the same weights."""
    shape = config.model.shape
    tutorial = TinyCausalLM(
        shape.vocab_size, shape.hidden_size, shape.num_heads, shape.num_layers
    ).eval()
    tutorial.load_state_dict(model.state_dict())
    ids = torch.tensor([config.prompt_ids])
    with torch.inference_mode():
        logits, cache = tutorial(ids)
        fed = logits[:, -1].argmax(dim=-1, keepdim=True)

    def go_on(steps: int = STEPS) -> float:
        nonlocal ids, fed, cache
        begin = perf_counter()
        with torch.inference_mode():
            for _ in range(steps):
                logits, cache = tutorial(fed, cache)
                fed = logits[:, -1].argmax(dim=-1, keepdim=True)
                ids = torch.cat([ids, fed], dim=1)
        return steps / (perf_counter() - begin)

    go_on(WARM_UP)
    return go_on


if __name__ == "__main__":
    torch.set_num_threads(1)
    hand_in({f"decode_{sys.argv[1]}": decode_speeds(int(sys.argv[1]))})
