import pytest
import torch
from torch import nn

from kvviz.model.architecture import Activation
from kvviz.model.rows import ACTIVATIONS, added, affine, gelu, norm, rms


def random(*sizes, dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    return torch.randn(*sizes, generator=generator, dtype=torch.float64).to(dtype)


def root_mean_square_norm(x, weight, eps):
    return x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * weight


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("size", [1e-4, 1.0, 1e3])
def test_rms_divides_by_the_root_mean_square(rows, size):
    x, weight = random(rows, 12) * size, random(12)
    wanted = root_mean_square_norm(x, weight, 1e-6)
    assert torch.allclose(rms(weight, 1e-6)(x), wanted, rtol=1e-12, atol=0)
    shifted = root_mean_square_norm(x, weight + 1, 1e-6)
    assert torch.allclose(rms(weight, 1e-6, 1.0)(x), shifted, rtol=1e-12, atol=0)


def test_rms_leaves_its_rows_and_its_weight_alone():
    x, weight = random(1, 12), random(12)
    before = x.clone(), weight.clone()
    rms(weight, 1e-6)(x)
    assert torch.equal(x, before[0])
    assert torch.equal(weight, before[1])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("rows", [1, 3])
def test_rms_in_half_precision_is_rounded_once(rows, dtype):
    x, weight = random(rows, 64, dtype=dtype), random(64, dtype=dtype)
    wanted = root_mean_square_norm(x.double(), weight.double() + 1, 1e-6)
    found = rms(weight, 1e-6, 1.0)(x)
    assert found.dtype == dtype
    assert torch.equal(found, wanted.to(dtype)) or (found.double() - wanted).abs().max() < (
        wanted.abs().max() * torch.finfo(dtype).eps
    )


def test_each_head_has_its_own_weight():
    x, weight = random(2, 3, 4, 6), random(3, 1, 6)
    wanted = root_mean_square_norm(x, weight, 1e-6)
    assert torch.allclose(rms(weight, 1e-6)(x), wanted, rtol=1e-12, atol=0)


@pytest.mark.parametrize("bias", [True, False])
def test_linears_side_by_side_and_added(bias):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        one, other = (nn.Linear(6, rows, bias).double() for rows in (4, 2))
    x = random(3, 6)
    together = affine(one, other)(x)
    assert torch.allclose(together, torch.cat((one(x), other(x)), dim=1))
    y = random(3, 4)
    assert torch.allclose(added(one, None)(y, x), y + one(x))
    behind = norm(nn.RMSNorm(4, 1e-6).double())
    assert torch.allclose(added(one, behind)(y, x), y + behind(one(x)))


def test_every_activation_is_there():
    x = random(40, 3, dtype=torch.float32)
    wanted = {
        Activation.GELU: nn.GELU(),
        Activation.GELU_TANH: nn.GELU(approximate="tanh"),
        Activation.SILU: nn.SiLU(),
        Activation.RELU: nn.ReLU(),
    }
    assert ACTIVATIONS.keys() == wanted.keys() == set(Activation)
    for activation, module in wanted.items():
        assert torch.allclose(ACTIVATIONS[activation](x), module(x), atol=1e-6)
    assert torch.allclose(gelu(x[:2]), nn.GELU()(x[:2]), atol=1e-6)
