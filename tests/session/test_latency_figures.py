from dataclasses import replace

import pytest
from plain_trace import plain_trace

from kvviz.session.latency_figures import LatencyFigures, latency_figures
from kvviz.session.step_marks import StepMarks
from kvviz.trace.latency import itl_ns, percentile, tokens_per_second, ttft_ns

LATENCIES = (3_000, 2_000, 700, 600, 650, 900, 640)


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("upto", [0, 1, 2, 3, 6])
def test_figures_at_a_step_are_those_of_a_run_that_ended_there(upto, batch):
    whole = plain_trace((4, 2), 5, latencies=LATENCIES)
    ended = plain_trace((4, 2)[: upto + 1], max(0, upto - 1), latencies=LATENCIES)
    for trace in (whole, ended):
        trace.config = replace(trace.config, batch=batch)
    marks = StepMarks(whole)
    figures = latency_figures(marks, upto)
    if upto == 0:
        assert figures == LatencyFigures()
        return
    assert figures.ttft_ns == ttft_ns(ended)
    assert figures.p50_ns == percentile(itl_ns(ended), 50)
    assert figures.p95_ns == percentile(itl_ns(ended), 95)
    assert figures.tokens_per_second == tokens_per_second(ended)


def test_nothing_is_told_before_the_first_step():
    assert latency_figures(StepMarks(plain_trace(decodes=3)), -1) == LatencyFigures()


@pytest.mark.parametrize("count", [1, 2, 19, 20, 101])
def test_percentiles_are_those_of_the_trace(count):
    latencies = tuple((index * 7919) % 1009 + 100 for index in range(count + 1))
    trace = plain_trace(decodes=count, latencies=latencies)
    figures = latency_figures(StepMarks(trace), count)
    assert figures.p50_ns == percentile(latencies[1:], 50)
    assert figures.p95_ns == percentile(latencies[1:], 95)
