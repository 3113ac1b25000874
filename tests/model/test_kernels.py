import pytest
import torch

from kvviz.model.attention import Scoring, attend
from kvviz.model.kernels import attend_eager, blockwise
from kvviz.sizing.kernel import tiles

SCALE = 0.3


def case(rows, held, *, heads=4, kv_heads=2, dtype=torch.float64, batch=2):
    generator = torch.Generator().manual_seed(rows + held)

    def draw(number, tokens):
        return torch.randn(batch, number, tokens, 8, generator=generator, dtype=dtype)

    return draw(heads, rows), draw(kv_heads, held), draw(kv_heads, held)


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize("size", [1, 3, 4, 64])
@pytest.mark.parametrize(("rows", "held"), [(9, 9), (1, 9), (4, 11), (1, 1)])
@pytest.mark.parametrize(("window", "cap"), [(0, 0.0), (3, 0.0), (0, 2.0), (4, 2.0)])
def test_all_kernels_are_exact(rows, held, size, kv_heads, window, cap):
    tensors = case(rows, held, kv_heads=kv_heads)
    usual = attend(*tensors, Scoring(SCALE, window, cap))
    for kernel in (attend_eager, blockwise(size)):
        assert (kernel(*tensors, Scoring(SCALE, window, cap)) - usual).abs().max() < 1e-12


@pytest.mark.parametrize("cap", [0.0, 2.0])
def test_a_caches_mask_is_kept(cap):
    mask = torch.rand(2, 1, 5, 9, generator=torch.Generator().manual_seed(1)) < 0.4
    mask[..., 0] = True
    tensors = case(5, 9)
    usual = attend(*tensors, Scoring(SCALE, cap=cap), mask)
    for kernel in (attend_eager, blockwise(4)):
        assert (kernel(*tensors, Scoring(SCALE, cap=cap), mask) - usual).abs().max() < 1e-12


def test_scores_that_would_overflow_alone_do_not():
    q, keys, values = case(6, 6, dtype=torch.float32)
    usual = attend(q * 400, keys, values, Scoring(SCALE))
    assert torch.allclose(blockwise(2)(q * 400, keys, values, Scoring(SCALE)), usual, atol=1e-5)


@pytest.mark.parametrize("window", [0, 1, 4, 5])
@pytest.mark.parametrize(("before", "fed", "size"), [(0, 9, 4), (6, 5, 4), (8, 1, 4), (3, 1, 1)])
def test_the_tiles_on_paper_are_those_that_are_computed(before, fed, size, window):
    visited = []
    kernel = blockwise(size, lambda row, key: visited.append((row + before, key)))
    kernel(*case(fed, before + fed), Scoring(SCALE, window))
    paper = list(tiles(before, fed, size, window))
    assert visited == [(tile.first_row, tile.first_key) for tile in paper if not tile.skipped]
    rows = {row for tile in paper for row in range(tile.first_row, tile.end_row)}
    assert rows == set(range(before, before + fed))


def test_without_a_window_only_the_future_is_skipped():
    skipped = {(t.first_row, t.first_key) for t in tiles(0, 8, 4) if t.skipped}
    assert skipped == {(0, 4)}
