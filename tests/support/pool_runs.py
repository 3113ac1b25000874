"""Runs made one after the other by one runner, so that they may share a pool."""

from engine_runs import config_of
from runner_stand import handled

from kvviz.trace.messages import StartRun
from kvviz.trace.trace import Trace

LONG = (1, 2, 3, 4, 5, 6, 7)


def sharing(*ids, **fields):
    """A paged run of these tokens whose blocks stay for the next."""
    return config_of("paged:2", prompt_ids=ids, shares_pool=True, **fields)


def pool_traces(*configs):
    """What each recorded."""
    _, inbox = handled(*(StartRun(number, config) for number, config in enumerate(configs, 1)))
    traces = [Trace(config) for config in configs]
    for number, trace in enumerate(traces, 1):
        for step, arrays in inbox.steps(number):
            trace.append(step, arrays)
    return traces
