"""A folder's model against transformers on the same weights, and its load against a plain read.

python -m kvviz.bench.folder_speeds DIR
"""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import torch
from safetensors.torch import load, load_file

from kvviz.assets import built_in_model
from kvviz.bench.measure import Measure, hand_in, interleaved
from kvviz.bench.transformers_generate import NOT_INSTALLED, our_run, their_run
from kvviz.engine.folder import ModelFolder, has_built_in, open_built_in, open_folder
from kvviz.engine.load import load_model
from kvviz.model.weights import Weights, folder_weights
from kvviz.sizing.dtypes import DType
from kvviz.trace.config import RunConfig, TokenizerKind

BUILT_IN = "built-in"
PROMPT_TOKENS = 64
NEW_TOKENS = 64
MOST_ROUNDS, LONGEST_S = 9, 60.0
LEAST_BYTES = 32 * 2**20
TOO_SMALL = "building a model takes longer than reading so few bytes: the two do not compare"
CPU = torch.device("cpu")


def folder_speeds(name: str) -> Mapping[str, Measure]:
    """Return the measures of a folder, or of the model that is built in."""
    own = name == BUILT_IN
    prefix = "built_in" if own else "folder"
    if own and not has_built_in():
        missing = Measure(reason="this kvviz has no built-in model")
        return {f"{prefix}_decode": missing, f"{prefix}_load": missing}
    opened = open_built_in() if own else open_folder(name, with_tokenizer=False)
    folder = str(built_in_model()) if own else str(opened.choice.spec.path)
    return {
        f"{prefix}_load": load_times(opened, folder_weights(folder)),
        f"{prefix}_decode": generate_speeds(opened, folder),
    }


def load_times(opened: ModelFolder, weights: Weights) -> Measure:
    """Return ms until the model is there in the dtype it is stored in, and of a plain read."""
    paths = sorted({tensor.path for tensor in weights.tensors.values()})
    dtype = DType(opened.dtypes[0])

    def ours() -> float:
        begin = perf_counter()
        load_model(opened.choice.spec, dtype, CPU)
        return 1000 * (perf_counter() - begin)

    def theirs() -> float:
        begin = perf_counter()
        tensors = [plain_read(path) for path in paths]
        elapsed = 1000 * (perf_counter() - begin)
        del tensors
        return elapsed

    found = interleaved(ours, theirs, rounds_within(lambda: (ours(), theirs())))
    if opened.num_bytes < LEAST_BYTES:
        return Measure(found.value, found.baseline, reason=TOO_SMALL)
    return found


def plain_read(path: str) -> dict[str, torch.Tensor]:
    """Return a file's tensors as the library reads them, every byte: mapping it reads none yet."""
    if "backend" in inspect.signature(load_file).parameters:
        read: dict[str, torch.Tensor] = load_file(path, backend="pread")
        return read
    return load(Path(path).read_bytes())


def generate_speeds(opened: ModelFolder, folder: str) -> Measure:
    """Return tokens/s of decode in float32; without transformers only ours."""
    config = run_of(opened)
    if config.max_new_tokens < 2:
        return Measure(reason="its context is too short for a decode step to be timed")
    ours = our_run(config, load_model(config.model, DType.FLOAT32, CPU))
    if importlib.util.find_spec("transformers") is None:
        rounds = rounds_within(ours)
        return Measure(median(ours()[0] for _ in range(rounds)), reason=NOT_INSTALLED)
    theirs = their_run(config, transformers_model(folder))
    begin = perf_counter()
    found, wanted = ours()[1], theirs()[1]
    rounds = rounds_of(perf_counter() - begin)
    if found != wanted:
        step = next(i for i, pair in enumerate(zip(found, wanted, strict=True)) if len({*pair}) > 1)
        reason = f"the two chose another token at step {step}; both made {NEW_TOKENS}"
    else:
        reason = ""
    measured = interleaved(lambda: ours()[0], lambda: theirs()[0], rounds)
    return Measure(measured.value, measured.baseline, measured.ratio, reason)


def run_of(opened: ModelFolder) -> RunConfig:
    """Return a run of typed ids that no end token ends."""
    spec = opened.choice.spec
    half = (spec.shape.context or PROMPT_TOKENS + NEW_TOKENS) // 2
    prompt, new = min(PROMPT_TOKENS, half), min(NEW_TOKENS, half)
    return RunConfig(
        model=spec,
        prompt_ids=tuple((7 * i * i + 3) % spec.shape.vocab_size for i in range(prompt)),
        tokenizer=TokenizerKind.IDS,
        max_new_tokens=new,
        max_seq_len=prompt + new,
    )


def transformers_model(folder: str) -> Any:
    """Return transformers' own model of a folder; it runs no code of the folder and asks nobody."""
    transformers: Any = importlib.import_module("transformers")
    transformers.logging.disable_progress_bar()  # its thread would stay
    return transformers.AutoModelForCausalLM.from_pretrained(
        folder,
        dtype=torch.float32,
        attn_implementation="sdpa",
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
    ).eval()


def rounds_within(pair: Callable[[], object]) -> int:
    """Make a pair of measurements once and return how often it can be made again."""
    begin = perf_counter()
    pair()
    return rounds_of(perf_counter() - begin)


def rounds_of(pair_s: float) -> int:
    """Return how many pairs of so many seconds fit into a minute, from 1 to 9."""
    return max(1, min(MOST_ROUNDS, int(LONGEST_S / pair_s)))


if __name__ == "__main__":
    torch.set_num_threads(1)
    hand_in(folder_speeds(sys.argv[1]))
