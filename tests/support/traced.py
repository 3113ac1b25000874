"""Traces of runs of a tiny model, for what only a real cache does to its blocks."""

from engine_runs import CPU, config_of, generation_of, model_of, shape_of

from kvviz.cache.build import build_store
from kvviz.trace.trace import Trace

SHAPE = shape_of(2)


def traced(config, model=None, store=None):
    """The trace of a whole run, and the generation with its cache."""
    generation = generation_of(config, model, store=store)
    trace = Trace(config)
    for item in generation.run():
        trace.append(*item)
    return trace, generation


def trace_of(text, **fields):
    """The trace of a run with the layout that ``text`` says."""
    trace, generation = traced(config_of(text, shape=SHAPE, **fields))
    generation.release()
    return trace


def shared_trace(text="paged:2", earlier=(1, 2, 3, 4, 5, 6, 7), prompt=(1, 2, 3, 4, 9, 9, 7)):
    """The trace of a run that finds what an earlier one, now gone, left in the pool."""
    model = model_of(SHAPE)
    first = config_of(text, shape=SHAPE, prompt_ids=earlier, max_seq_len=20)
    second = config_of(text, shape=SHAPE, prompt_ids=prompt, max_seq_len=20)
    store = build_store(first.layout, SHAPE, 1, first.max_seq_len, CPU)
    traced(first, model, store)[1].release()
    trace, generation = traced(second, model, store)
    generation.release()
    return trace
