import pytest

from kvviz.sizing.work import naive_score_cells, naive_token_positions, score_cells


def test_a_prefill_of_five_has_fifteen_cells():
    assert score_cells(0, 5) == 15


@pytest.mark.parametrize(("before", "fed"), [(0, 1), (0, 9), (4, 1), (4, 7)])
def test_cells_are_those_of_the_rows(before, fed):
    rows = range(before, before + fed)
    assert score_cells(before, fed) == sum(row + 1 for row in rows)


@pytest.mark.parametrize("prompt", [1, 2, 7])
@pytest.mark.parametrize("generated", [1, 2, 9])
def test_the_naive_way_feeds_the_prefix_each_time(prompt, generated):
    prefixes = range(prompt, prompt + generated)
    assert naive_token_positions(prompt, generated) == sum(prefixes)
    assert naive_score_cells(prompt, generated) == sum(score_cells(0, n) for n in prefixes)


@pytest.mark.parametrize("most", [1, 3, 7, 12, 99])
@pytest.mark.parametrize(("before", "fed"), [(0, 7), (0, 1), (5, 4), (20, 3)])
def test_a_row_sees_no_more_than_is_held(before, fed, most):
    rows = range(before + 1, before + fed + 1)
    assert score_cells(before, fed, most) == sum(min(row, most) for row in rows)
