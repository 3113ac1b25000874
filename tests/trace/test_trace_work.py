import pytest

from kvviz.sizing.layout import LayoutKind
from kvviz.sizing.work import naive_score_cells, naive_token_positions
from kvviz.trace.work import totals


@pytest.mark.parametrize("prompt", [1, 4, 9])
@pytest.mark.parametrize("generated", [1, 2, 7])
@pytest.mark.parametrize("kind", list(LayoutKind))
def test_totals_meet_the_closed_forms(make_trace, prompt, generated, kind):
    work = totals(
        make_trace(prompt=(5,) * prompt, chosen=tuple(range(generated)), layout=kind, batch=2)
    )

    naive = (naive_token_positions(prompt, generated), naive_score_cells(prompt, generated))
    last = prompt + generated - 1
    cached = (last, last * (last + 1) // 2)
    assert (work.naive_token_positions, work.naive_score_cells) == naive
    assert (work.token_positions, work.score_cells) == (
        naive if kind is LayoutKind.NONE else cached
    )
    assert work.multiplier == 3 * 4 * 2


def test_chunks_change_nothing(make_trace):
    assert totals(make_trace(chunks=(1, 2))) == totals(make_trace())


def test_a_second_prefill_feeds_each_token_once(make_trace):
    work = totals(make_trace(prompt=(5, 6), chosen=(1, 2), then=(7, 8, 9), more=(3, 4)))

    assert work.token_positions == 8
    assert work.score_cells == 8 * 9 // 2
    assert work.naive_token_positions == 2 + 3 + 7 + 8
