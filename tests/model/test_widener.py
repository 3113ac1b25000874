import pytest
import torch

from kvviz.engine.folder import open_built_in
from kvviz.engine.load import load_model
from kvviz.model import widener
from kvviz.model.rows import FEW_ROWS
from kvviz.model.widener import Widener
from kvviz.sizing.dtypes import DType

CPU = torch.device("cpu")


def weights(dtype=torch.float16):
    return torch.randn(24, 40, generator=torch.Generator().manual_seed(0)).to(dtype).float()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("turned", [False, True])
def test_few_rows_get_the_same_numbers_in_the_same_order_of_memory(dtype, turned):
    weight = weights(dtype).t() if turned else weights(dtype)
    found = Widener().matrix(weight)(torch.zeros(1, len(weight)))
    assert found is not weight
    assert torch.equal(found, weight)
    assert found.stride() == weight.stride()


def test_many_rows_get_the_weight_itself():
    weight = weights()
    assert Widener().matrix(weight)(torch.zeros(FEW_ROWS + 1, 24)) is weight


@pytest.mark.parametrize(
    "weight",
    [
        torch.full((4, 4), 1 / 3),  # not of 16 bits
        torch.full((4, 4), 1e5) + torch.arange(4),  # beyond float16, finer than bfloat16
        torch.full((4, 4), torch.nan),
        torch.ones(4, 4, dtype=torch.float64),
        torch.ones(4, 4, dtype=torch.bfloat16),
        torch.ones(1, widener.MOST_BYTES // 4 + 1),
    ],
)
def test_what_16_bits_do_not_hold_or_the_cache_would_not_is_read_whole(weight):
    assert Widener().matrix(weight)(torch.zeros(1, len(weight))) is weight


def test_halves_together_stay_below_their_limit(monkeypatch):
    weight = weights()
    monkeypatch.setattr(widener, "MOST_KEPT_BYTES", 3 * weight.nbytes // 2)
    matrix = Widener().matrix
    kept = [matrix(weight)(torch.zeros(1, 24)) is not weight for _ in range(5)]
    assert kept == [True, True, True, False, False]


def test_the_built_in_model_says_the_same_to_the_bit(monkeypatch):
    spec = open_built_in().choice.spec
    ids = torch.tensor([[5, 6, 7, 8]])

    def logits():
        with torch.inference_mode():
            return load_model(spec, DType.FLOAT32, CPU).all_logits(ids)

    found = logits()
    monkeypatch.setattr(widener, "MOST_BYTES", 0)
    assert torch.equal(found, logits())
