import numpy as np
import pytest
import torch
from engine_runs import attention_in_numpy

from kvviz.model import attention
from kvviz.model.attention import Scoring, attend, causal_mask

SCALE = 0.3


def random(*sizes, dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    return torch.randn(*sizes, generator=generator, dtype=torch.float64).to(dtype)


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize(("rows", "held"), [(1, 1), (1, 9), (9, 9), (4, 9)])
def test_attend_is_what_numpy_says(kv_heads, rows, held):
    q, k, v = random(2, 4, rows, 6), random(2, kv_heads, held, 6), random(2, kv_heads, held, 6)
    out = attend(q, k, v, Scoring(SCALE))
    assert out.shape == q.shape
    for row in range(2):
        expected = attention_in_numpy(q[row].numpy(), k[row].numpy(), v[row].numpy(), SCALE)
        assert np.abs(out[row].numpy() - expected).max() < 1e-12


@pytest.mark.parametrize("cap", [0.0, 0.5])
@pytest.mark.parametrize("window", [1, 4, 9, 20])
@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize(("rows", "held"), [(1, 1), (1, 9), (9, 9), (4, 9)])
def test_windows_and_caps_are_what_numpy_says(cap, window, kv_heads, rows, held, monkeypatch):
    q, k, v = random(2, 4, rows, 6), random(2, kv_heads, held, 6), random(2, kv_heads, held, 6)
    monkeypatch.setattr(attention, "SCORES_AT_ONCE", 2 * 4 * held * 2)  # two queries at a time
    out = attend(q, k, v, Scoring(SCALE, window, cap))
    for row in range(2):
        arrays = (tensor[row].numpy() for tensor in (q, k, v))
        expected = attention_in_numpy(*arrays, SCALE, window, cap)
        assert np.abs(out[row].numpy() - expected).max() < 1e-12


@pytest.mark.parametrize("cap", [0.0, 0.5])
@pytest.mark.parametrize("rows", [1, 3])
def test_keys_that_no_query_sees_are_not_read(rows, cap):
    q, k, v = random(1, 4, rows, 6), random(1, 2, 9, 6), random(1, 2, 9, 6)
    unread = 9 - (4 + rows - 1)
    k[:, :, :unread] = v[:, :, :unread] = torch.nan
    assert attend(q, k, v, Scoring(SCALE, 4, cap)).isfinite().all()


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize("rows", [1, 5, 9])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_how_keys_lie_in_memory_changes_nothing(kv_heads, rows, dtype):
    q, v = random(1, 4, rows, 6, dtype=dtype), random(1, kv_heads, 20, 6, dtype=dtype)[:, :, :9]
    k = random(1, kv_heads, 9, 6, dtype=dtype)
    tokens_innermost = k.mT.contiguous().mT
    assert tokens_innermost.stride() != k.stride()
    apart = (
        (attend(q, k, v, Scoring(SCALE)) - attend(q, tokens_innermost, v, Scoring(SCALE)))
        .abs()
        .max()
    )
    assert apart <= (1e-6 if dtype is torch.float32 else 0.02)


def test_shared_keys_are_not_copied_for_each_query_head(monkeypatch):
    """A group reads the one K and V there is: the expanded ones point into its storage."""
    seen = []
    fused = torch.nn.functional.scaled_dot_product_attention

    def watched(q, k, v, **options):
        seen.extend((k, v))
        return fused(q, k, v, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", watched)
    k, v = random(1, 2, 9, 6), random(1, 2, 9, 6)
    attend(random(1, 8, 9, 6), k, v, Scoring(SCALE))
    assert [tensor.data_ptr() for tensor in seen] == [k.data_ptr(), v.data_ptr()]
    assert {tensor.shape for tensor in seen} == {(2, 4, 9, 6)}


def test_causal_mask_counts_are_the_score_cells():
    assert causal_mask(5, 5, torch.device("cpu")).sum() == 15
    mask = causal_mask(2, 5, torch.device("cpu"))
    assert mask.tolist() == [[True] * 4 + [False], [True] * 5]
    windowed = causal_mask(2, 5, torch.device("cpu"), window=3)
    assert windowed.tolist() == [[False, *[True] * 3, False], [False] * 2 + [True] * 3]
