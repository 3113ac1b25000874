"""Traces of runs that really ran, on small random models."""

import torch

from kvviz.engine.generate import Generation
from kvviz.engine.load import load_model
from kvviz.engine.tokenizer import build_tokenizer
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.shape import ModelShape, Positions
from kvviz.trace.config import ModelSpec, RunConfig
from kvviz.trace.trace import Trace

SHAPE = ModelShape(2, 4, 2, 8, 64, Positions.ROPE)


def small_config(kind=LayoutKind.PREALLOCATED, *, prompt=5, new=6, shape=SHAPE, **fields):
    """A run of a prompt of ids 1, 2, ... on a small random model."""
    fields.setdefault("max_seq_len", prompt + new + 8)
    return RunConfig(
        model=ModelSpec(shape),
        prompt_ids=tuple(1 + i % (shape.vocab_size - 1) for i in range(prompt)),
        layout=CacheLayout(kind, DType.FLOAT32),
        max_new_tokens=new,
        **fields,
    )


def real_trace(config):
    """Run ``config`` to its end and return what it recorded."""
    model = load_model(config.model, config.dtype, torch.device(config.device))
    trace = Trace(config)
    generation = Generation(config, model, build_tokenizer(config.tokenizer))
    for step, arrays in generation.run():
        trace.append(step, arrays)
    return trace
