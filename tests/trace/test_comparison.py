import numpy as np
import pytest

from kvviz.sizing.layout import LayoutKind
from kvviz.trace.comparison import Comparison, compare


def test_a_run_is_the_same_as_itself(make_trace):
    trace = make_trace()

    assert compare(trace, trace) == Comparison(True, None, 0.0)


def test_the_gap_is_taken_up_to_and_including_the_first_different_token(make_trace):
    reference = make_trace(chosen=(1, 2, 3, 4), logits_seed=1)
    other = make_trace(chosen=(1, 9, 3, 4), logits_seed=2)

    found = compare(reference, other)

    gaps = [np.abs(reference.logits(n).astype(float) - other.logits(n)).max() for n in range(4)]
    assert found.first_difference == 1
    assert not found.same_tokens
    assert found.max_logit_gap == pytest.approx(max(gaps[:2]), rel=1e-12)
    assert found.max_logit_gap != pytest.approx(max(gaps), rel=1e-6)


def test_a_shorter_run_differs_where_it_ends(make_trace):
    longer, shorter = make_trace(chosen=(1, 2, 3)), make_trace(chosen=(1, 2))

    assert compare(longer, shorter).first_difference == 2
    assert compare(shorter, longer).first_difference == 2


def test_chunks_that_choose_nothing_are_passed_over(make_trace):
    whole, chunked = make_trace(), make_trace(chunks=(1, 1, 1), layout=LayoutKind.CONCAT)

    found = compare(whole, chunked)

    assert found.same_tokens
    assert found.max_logit_gap > 0


def test_logits_that_are_no_numbers_have_no_gap(make_trace):
    reference, other = make_trace(), make_trace()
    other.logits(1)[3] = np.nan

    assert compare(reference, other).max_logit_gap is None
