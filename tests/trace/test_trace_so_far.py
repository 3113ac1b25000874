import numpy as np

from kvviz.trace.file import checksum
from kvviz.trace.packing import pack
from kvviz.trace.step import StepArrays
from kvviz.trace.table import steps_table
from kvviz.trace.trace import Trace


def record(source, trace, steps):
    """Append to ``trace`` the next ``steps`` steps of ``source``."""
    for step in source.steps[len(trace) : len(trace) + steps]:
        rows = slice(step.first_row, step.seq_len)
        q, k, v = (
            np.stack([read(layer)[:, rows] for layer in range(3)])
            for read in (source.queries, source.keys, source.values)
        )
        trace.append(step, StepArrays(q, k, v, source.logits(step.index)))


def test_what_is_recorded_by_now_does_not_grow(make_trace):
    whole = make_trace(chosen=tuple(range(11, 31)))
    trace = Trace(whole.config)
    record(whole, trace, 7)
    early = trace.so_far()
    table, data = steps_table(early), checksum({}, pack(early))
    record(whole, trace, 13)  # past the 16 rows that the table of figures begins with
    assert (len(early), len(trace)) == (7, 20)
    assert early.seq_len == 9
    assert len(early.generated_ids) == 7
    assert (steps_table(early), checksum({}, pack(early))) == (table, data)
    assert steps_table(trace) == steps_table(whole)


def test_arrays_are_shared(make_trace):
    trace = make_trace()
    early = trace.so_far()
    assert early.queries(1).base is trace.queries(1).base
