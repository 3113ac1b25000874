"""Models, caches and runs of the engine, small enough to check against arithmetic."""

import numpy as np
import torch

from kvviz.cache.build import build_cache
from kvviz.engine.generate import Generation
from kvviz.engine.load import load_model
from kvviz.engine.tokenizer import build_tokenizer
from kvviz.sizing.dtypes import DType
from kvviz.sizing.layout import CacheLayout, LayoutKind
from kvviz.sizing.layout_text import parse_layout
from kvviz.sizing.shape import ModelShape, Positions
from kvviz.trace.config import ModelSpec, RunConfig, TokenizerKind

CPU = torch.device("cpu")
PROMPT = (7, 3, 11, 60, 2, 2, 45)


def shape_of(kv_heads=4, positions=Positions.NONE, *, layers=2, heads=4, head_dim=8, vocab=64):
    context = 64 if positions is Positions.LEARNED else None
    return ModelShape(layers, heads, kv_heads, head_dim, vocab, positions, context=context)


def config_of(kind=LayoutKind.PREALLOCATED, *, shape=None, kv_dtype=None, seed=0, **fields):
    """A run of PROMPT with the cache in the model's dtype unless said otherwise."""
    dtype = fields.setdefault("dtype", DType.FLOAT32)
    fields.setdefault("prompt_ids", PROMPT)
    fields.setdefault("tokenizer", TokenizerKind.IDS)
    fields.setdefault("max_new_tokens", 6)
    fields.setdefault("max_seq_len", 40)
    return RunConfig(
        model=ModelSpec(shape or shape_of(), seed=seed),
        layout=layout_of(kind, kv_dtype or dtype),
        **fields,
    )


def model_of(shape, dtype=DType.FLOAT32, seed=0):
    return load_model(ModelSpec(shape, seed=seed), dtype, CPU)


def layout_of(text, kv_dtype=DType.FLOAT32, v_dtype=None):
    """A layout by its text or its kind."""
    return parse_layout(text, CacheLayout(kv_dtype=kv_dtype, v_dtype=v_dtype))


def cache_of(kind, shape, *, kv_dtype=DType.FLOAT32, v_dtype=None, **fields):
    fields = {"batch": 1, "max_seq_len": 40, "device": CPU} | fields
    return build_cache(layout_of(kind, kv_dtype, v_dtype), shape, **fields)


def generation_of(config, model=None, **fields):
    model = model or load_model(config.model, config.dtype, CPU)
    return Generation(config, model, build_tokenizer(config.tokenizer), **fields)


def run(config, model=None):
    """Return every (step, arrays) of a run to its end."""
    return list(generation_of(config, model).run())


def chosen(items):
    return [step.token_id for step, _ in items if step.token_id is not None]


def attention_in_numpy(q, k, v, scale, window=0, cap=0.0):
    """Heads' out [H, T, D] of the last T rows, from q [H, T, D] and all of k, v [K, S, D]."""
    heads, rows, _ = q.shape
    held = k.shape[1]
    out = np.empty_like(q)
    for head in range(heads):
        shared = head // (heads // len(k))
        scores = q[head] @ k[shared].T * scale
        if cap:
            scores = cap * np.tanh(scores / cap)
        back = np.arange(held - rows, held)[:, None] - np.arange(held)[None, :]
        scores[back < 0] = -np.inf
        if window:
            scores[back >= window] = -np.inf
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        out[head] = weights / weights.sum(axis=1, keepdims=True) @ v[shared]
    return out
