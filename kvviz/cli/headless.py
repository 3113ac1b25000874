"""Runs without a window, once torch is there."""

import os
import sys
from collections.abc import Callable

import torch

from kvviz.cache.build import build_store
from kvviz.cache.paged_store import PagedStore
from kvviz.cli.progress import bytes_progress, progress
from kvviz.engine.devices import device_free_bytes, device_named
from kvviz.engine.failure import describe
from kvviz.engine.generate import Generation
from kvviz.engine.load import load_model
from kvviz.engine.load_watch import LoadWatch
from kvviz.engine.memory import free_bytes
from kvviz.engine.tokenizer import tokenizer_for
from kvviz.model.transformer import Transformer
from kvviz.sizing.errors import InputError
from kvviz.sizing.layout_text import layout_text
from kvviz.trace.config import RunConfig
from kvviz.trace.trace import Trace

WARM_TOKENS = 2  # as many as take the way of several rows


class Told(LoadWatch):
    """Shows how far a load has come, and writes what is odd about the weights to stderr."""

    def __init__(self, report: Callable[[int, int], None]) -> None:
        self._report = report

    def progress(self, done: int, total: int) -> None:
        """Show it."""
        self._report(done, total)

    def warn(self, sentence: str) -> None:
        """Write it."""
        print(f"kvviz: warning: {sentence}", file=sys.stderr)


def load(config: RunConfig) -> Transformer:
    """Return the model of a run; raise InputError if it cannot be had, or not in its memory."""
    torch.set_num_threads(max(1, (os.cpu_count() or 1) - 1))
    device = device_named(config.device)
    config.cost.check(device_free_bytes(device, free_bytes))
    with bytes_progress("loading the model") as report:
        try:
            model = load_model(config.model, config.dtype, device, Told(report))
            warm_up(model, config, device)
        except Exception as error:
            raise _refusal(error, "while loading the model") from error
    return model


def warm_up(model: Transformer, config: RunConfig, device: torch.device) -> None:
    """Feed the prompt's first tokens to nobody: what torch does once a process is no run's time."""
    with torch.inference_mode():
        model(torch.tensor([config.prompt_ids[:WARM_TOKENS]], device=device))


def record_one(config: RunConfig, model: Transformer, store: PagedStore | None = None) -> Trace:
    """Generate to the end and end the request; ``store`` is a pool shared with other runs.

    Raises InputError, saying at which step, if the model fails.
    """
    trace = Trace(config)
    total = len(config.prompt_ids) + config.max_new_tokens - 1
    with progress(f"cache {layout_text(config.layout)}", total) as report:
        try:
            tokenizer = tokenizer_for(config.tokenizer, config.tokenizer_path)
            generation = Generation(config, model, tokenizer, store=store)
            for step, arrays in generation.run():
                trace.append(step, arrays)
                report(trace.seq_len)
        except Exception as error:
            raise _refusal(error, f"at step {len(trace)}") from error
    generation.release()
    return trace


def record_pair(earlier: RunConfig, config: RunConfig, model: Transformer) -> Trace:
    """Generate for both in one pool, one after the other; return what the second recorded."""
    shape, device = config.model.shape, device_named(config.device)
    store = build_store(config.layout, shape, config.batch, config.max_seq_len, device)
    record_one(earlier, model, store)
    return record_one(config, model, store)


def _refusal(error: Exception, while_doing: str) -> InputError:
    return InputError(describe(0, error, while_doing).message)
