import sys
from subprocess import run

import pytest
import torch

from kvviz.engine.folder import open_built_in
from kvviz.engine.load import load_model
from kvviz.model import half_weights
from kvviz.model.half_weights import HalfWeights, fbgemm_kernels
from kvviz.model.rows import FEW_ROWS
from kvviz.sizing.dtypes import DType

CPU = torch.device("cpu")

needs_fbgemm = pytest.mark.skipif(
    "fbgemm" not in torch.backends.quantized.supported_engines, reason="x86 only"
)


def random(*size):
    return torch.randn(size, generator=torch.Generator().manual_seed(0))


def exact(*size):
    return random(*size).half().float()


def is_packed(product, weight):
    """Whether few rows are multiplied with a copy: what is done to the weight does not show."""
    rows = torch.ones(1, len(weight), dtype=weight.dtype)
    before = product(rows, None)
    weight.mul_(2)
    return torch.equal(product(rows, None), before)


@needs_fbgemm
def test_the_kernels_are_there_in_the_torch_that_is_pinned():
    assert fbgemm_kernels() is not None


@needs_fbgemm
@pytest.mark.parametrize("rows", [1, 2, 3, FEW_ROWS, FEW_ROWS + 1])
@pytest.mark.parametrize("plus", [(), (40,), (None, 40)])
@pytest.mark.parametrize("turned", [False, True])
def test_a_product_is_that_with_the_weight_itself(rows, plus, turned):
    weight = exact(40, 24).t() if turned else exact(24, 40)
    x = random(rows, 24)
    added = random(*(size or rows for size in plus)) if plus else None
    before = None if added is None else added.clone()
    found = HalfWeights().product(weight)(x, added)
    wanted = x.double() @ weight.double() + (0 if added is None else added.double())
    torch.testing.assert_close(found.double(), wanted, rtol=1e-6, atol=1e-5)
    assert added is None or torch.equal(added, before)


@needs_fbgemm
def test_numbers_below_the_normal_ones_of_float16_are_kept():
    weight = torch.full((8, 8), 2.0**-24)
    found = HalfWeights().product(weight.clone())
    assert is_packed(found, weight)
    assert torch.equal(found(torch.ones(1, 8), None), torch.full((1, 8), 2.0**-21))


@needs_fbgemm
def test_a_weight_that_float16_holds_is_packed():
    weight = exact(24, 40)
    assert is_packed(HalfWeights().product(weight), weight)


@pytest.mark.parametrize(
    "weight",
    [
        torch.full((4, 4), 1 / 3),  # not of 16 bits
        torch.full((4, 4), 1e5),  # beyond float16
        torch.full((4, 4), 2.0**-30),  # below it
        torch.ones(4, 4, dtype=torch.float64),
        torch.ones(4, 4, dtype=torch.bfloat16),
        torch.ones(1, half_weights.MOST_BYTES // 4 + 1),
    ],
)
def test_what_float16_does_not_hold_or_is_large_is_read_whole(weight):
    weight = weight.clone()
    assert not is_packed(HalfWeights().product(weight), weight)


@pytest.mark.parametrize("number", [torch.nan, torch.inf])
def test_a_damaged_weight_stays_damaged(number):
    found = HalfWeights().product(torch.full((4, 4), number))(torch.ones(1, 4), None)
    assert not found.isfinite().any()


@needs_fbgemm
def test_halves_together_stay_below_their_limit(monkeypatch):
    monkeypatch.setattr(half_weights, "MOST_KEPT_BYTES", 3 * exact(24, 40).nbytes // 2)
    product = HalfWeights().product
    weights = [exact(24, 40) for _ in range(5)]
    assert [is_packed(product(weight), weight) for weight in weights] == [True] * 3 + [False] * 2


@pytest.mark.parametrize("gone", ["pack_gemm_matrix_fp16", "linear_fp16_weight_fp32_activation"])
def test_a_torch_without_the_kernels_reads_weights_whole(monkeypatch, gone):
    monkeypatch.delattr(torch, f"fbgemm_{gone}")
    monkeypatch.setattr(half_weights, "fbgemm_kernels", fbgemm_kernels.__wrapped__)
    weight = exact(24, 40)
    assert not is_packed(HalfWeights().product(weight), weight)


def test_a_build_without_fbgemm_reads_weights_whole(monkeypatch):
    def refuse(*_):
        raise RuntimeError("FBGEMM is not here")

    monkeypatch.setattr(torch, "fbgemm_pack_gemm_matrix_fp16", refuse)
    monkeypatch.setattr(half_weights, "fbgemm_kernels", fbgemm_kernels.__wrapped__)
    weight = exact(24, 40)
    assert not is_packed(HalfWeights().product(weight), weight)


@needs_fbgemm
def test_a_process_that_uses_them_hears_no_warning():
    # In a process of its own: torch says only once that the kernels will go.
    code = (
        "import torch; from kvviz.model.half_weights import HalfWeights as Halves;"
        "print(Halves().product(torch.ones(8, 8))(torch.ones(1, 8), None).sum().item())"
    )
    found = run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert (found.stdout, found.stderr) == ("64.0\n", "")


def test_the_built_in_model_says_the_same(monkeypatch):
    spec = open_built_in().choice.spec
    ids = torch.tensor([[5, 6, 7, 8]])

    def logits():
        with torch.inference_mode():
            return load_model(spec, DType.FLOAT32, CPU).all_logits(ids)

    found = logits()
    monkeypatch.setattr(half_weights, "MOST_BYTES", 0)
    torch.testing.assert_close(found, logits(), rtol=1e-5, atol=1e-4)
