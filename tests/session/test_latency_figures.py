import numpy as np
import pytest
from plain_trace import plain_trace

from kvviz.session.latency_figures import LatencyFigures, decode_level_ns, latency_figures
from kvviz.session.step_marks import StepMarks
from kvviz.trace.latency import itl_ns, percentile, tokens_per_second, ttft_ns

LATENCIES = (3_000, 2_000, 700, 600, 650, 900, 640)


@pytest.mark.parametrize("upto", [0, 1, 2, 3, 6])
def test_figures_at_a_step_are_those_of_a_run_that_ended_there(upto):
    marks = StepMarks(plain_trace((4, 2), 5, latencies=LATENCIES))
    ended = plain_trace((4, 2)[: upto + 1], max(0, upto - 1), latencies=LATENCIES)
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


def test_the_level_ignores_single_slow_steps_and_follows_a_rise():
    steady = np.full(40, 600, np.int64)
    assert decode_level_ns(steady) == 600
    steady[[0, 9, 10, 30]] = 90_000
    assert decode_level_ns(steady) == 600
    steady[33:] = 1_200
    assert decode_level_ns(steady) == 1_200
    assert decode_level_ns(steady[:0]) == 0
    assert decode_level_ns(np.array([3, 1, 1], np.int64)) == 1


def test_the_level_only_grows_once_five_steps_are_known():
    rng = np.random.default_rng(3)
    latencies = rng.integers(500, 9_000, 200)
    levels = [decode_level_ns(latencies[:n]) for n in range(5, 200)]
    assert levels == sorted(levels)
