from dataclasses import replace

import pytest

from kvviz.sizing.layout import LayoutKind
from kvviz.trace.latency import itl_ns, percentile, tokens_per_second, tpot_ns, ttft_ns
from kvviz.trace.trace import Trace


def test_the_first_token_waits_for_every_chunk_of_its_prefill(make_trace):
    trace = make_trace(chunks=(2, 1), latencies={0: 70, 1: 30, 2: 9, 3: 8})

    assert ttft_ns(trace) == 100


def test_a_run_of_g_tokens_has_g_minus_one_gaps(make_trace):
    trace = make_trace(chosen=(1, 2, 3, 4), latencies={0: 50, 1: 7, 2: 9, 3: 5})

    assert itl_ns(trace) == [7, 9, 5]
    assert tpot_ns(trace) == 7


def test_gaps_are_the_same_figure_without_a_cache(make_trace):
    trace = make_trace(chosen=(1, 2, 3), layout=LayoutKind.NONE, latencies={0: 5, 1: 6, 2: 7})

    assert (ttft_ns(trace), itl_ns(trace), tpot_ns(trace)) == (5, [6, 7], round(13 / 2))


def test_one_token_has_no_gap(make_trace):
    trace = make_trace(chosen=(1,), latencies={0: 50})

    assert ttft_ns(trace) == 50
    assert itl_ns(trace) == []
    assert tpot_ns(trace) is None
    assert tokens_per_second(trace) is None


def test_a_run_that_has_not_begun_has_no_figures(make_trace):
    trace = Trace(make_trace().config)

    assert (ttft_ns(trace), itl_ns(trace), tpot_ns(trace)) == (None, [], None)


def test_a_second_prefill_is_between_tokens_but_no_decode_step(make_trace):
    trace = make_trace(
        chosen=(1, 2), then=(8, 9), more=(3, 4), latencies={0: 100, 1: 10, 2: 60, 3: 20}
    )

    assert itl_ns(trace) == [10, 20]
    assert tpot_ns(trace) == 30


def test_the_rate_is_decode_steps_over_their_time(make_trace):
    trace = make_trace(chosen=(1, 2, 3), latencies={0: 10**9, 1: 10**6, 2: 3 * 10**6})

    assert tokens_per_second(trace) == pytest.approx(500)


def test_the_rate_is_of_all_sequences(make_trace):
    trace = make_trace(chosen=(1, 2, 3), latencies={0: 10**9, 1: 10**6, 2: 3 * 10**6})
    trace.config = replace(trace.config, batch=4)

    assert tokens_per_second(trace) == pytest.approx(2000)


def test_a_percentile_lies_on_the_line_between_its_neighbours():
    assert percentile([10, 20], 50) == 15
    assert percentile([4, 1, 3, 2], 100) == 4
    assert percentile(list(range(101)), 95) == 95
    assert percentile([7], 95) == 7
    assert percentile([], 50) is None
