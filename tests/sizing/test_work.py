import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvviz.sizing.work import naive_score_cells, naive_token_positions, score_cells

counts = st.integers(1, 60)


def test_a_prompt_of_five_has_fifteen_cells_and_the_next_row_six():
    assert score_cells(0, 5) == 15
    assert score_cells(5, 1) == 6


@given(st.integers(0, 60), st.integers(0, 60))
def test_score_cells_are_a_count_of_rows_and_the_keys_they_see(before, fed):
    assert score_cells(before, fed) == sum(before + row + 1 for row in range(fed))


@given(st.integers(0, 60), counts, counts)
def test_a_prefill_in_chunks_needs_as_many_cells(before, first, second):
    apart = score_cells(before, first) + score_cells(before + first, second)
    assert apart == score_cells(before, first + second)


@given(counts, counts)
def test_naive_counts_are_sums_over_the_prefixes(prompt, generated):
    prefixes = range(prompt, prompt + generated)
    assert naive_token_positions(prompt, generated) == sum(prefixes)
    assert naive_score_cells(prompt, generated) == sum(n * (n + 1) // 2 for n in prefixes)


@pytest.mark.parametrize(("prompt", "generated"), [(7, 1), (1, 9)])
def test_a_cached_run_feeds_prompt_and_all_but_the_last(prompt, generated):
    cached = score_cells(0, prompt) + sum(
        score_cells(n, 1) for n in range(prompt, prompt + generated - 1)
    )
    assert cached == score_cells(0, prompt + generated - 1) <= naive_score_cells(prompt, generated)
