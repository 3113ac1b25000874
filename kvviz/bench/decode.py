"""Decode with one cache against another, or against the tutorial's loop: same weights and tokens.

python -m kvviz.bench.decode decode_2048 2048 preallocated tutorial
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
from kvviz.sizing.layout import CacheLayout
from kvviz.sizing.layout_text import parse_layout
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelSpec, RunConfig, TokenizerKind
from kvviz.trace.trace import Trace

ROUNDS = 16
STEPS = 32  # of a loop in a round
PROMPT = 64
TUTORIAL, GROW = "tutorial", "grow"

Loop = Callable[[int], float]


def decode_speeds(cached: int, ours: str, theirs: str) -> Measure:
    """Return tokens/s around ``cached`` tokens of two loops: a cache layout each, or TUTORIAL.

    Each is a process of its own, whose cache has grown to that length token by token: how fast
    torch.cat is depends on what the allocator has seen before.  Grown, they take turns.
    """
    with grown(cached, ours) as our_turn, grown(cached, theirs) as their_turn:
        return interleaved(our_turn, their_turn, ROUNDS)


@contextmanager
def grown(cached: int, name: str) -> Iterator[Callable[[], float]]:
    """Start a loop's process; give what lets it go on for a turn and returns its tokens/s."""
    command = [sys.executable, "-m", "kvviz.bench.decode", GROW, str(cached), name]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        said, told = process.stdout, process.stdin
        assert said is not None
        assert told is not None

        def turn() -> float:
            told.write("\n")
            told.flush()
            return float(said.readline())

        yield turn


def grow(cached: int, name: str) -> None:
    """Grow one loop's cache to around ``cached`` tokens; then a turn for each line that comes in.

    Half of the turns' steps lie below that length.
    """
    spec = ModelSpec(ModelShape())
    timed = ROUNDS * STEPS
    steps = cached - PROMPT + timed // 2
    config = RunConfig(
        model=spec,
        layout=CacheLayout() if name == TUTORIAL else parse_layout(name),
        prompt_ids=tuple(index % spec.shape.vocab_size for index in range(PROMPT)),
        tokenizer=TokenizerKind.IDS,
        max_new_tokens=steps + 1,
        max_seq_len=PROMPT + steps + 1,
    )
    model = load_model(spec, DType.FLOAT32, torch.device("cpu"))
    loop = tutorial_loop(config, model) if name == TUTORIAL else our_loop(config, model)
    loop(steps - timed)
    for _ in sys.stdin:
        sys.stdout.write(f"{loop(STEPS)}\n")
        sys.stdout.flush()


def our_loop(config: RunConfig, model: Transformer) -> Loop:
    """Return what decodes tokens, all that a step records included, and tells tokens/s."""
    trace = Trace(config)
    run = Generation(config, model, IdTokenizer()).run()

    def go_on(steps: int) -> float:
        begin = perf_counter()
        for step, arrays in islice(run, steps):
            trace.append(step, arrays)
        return steps / (perf_counter() - begin)

    go_on(1)
    return go_on


def tutorial_loop(config: RunConfig, model: Transformer) -> Loop:
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

    def go_on(steps: int) -> float:
        nonlocal ids, fed, cache
        begin = perf_counter()
        with torch.inference_mode():
            for _ in range(steps):
                logits, cache = tutorial(fed, cache)
                fed = logits[:, -1].argmax(dim=-1, keepdim=True)
                ids = torch.cat([ids, fed], dim=1)
        return steps / (perf_counter() - begin)

    return go_on


if __name__ == "__main__":
    torch.set_num_threads(1)
    goal, length, *loops = sys.argv[1:]
    if goal == GROW:
        grow(int(length), loops[0])
    else:
        hand_in({goal: decode_speeds(int(length), *loops)})
