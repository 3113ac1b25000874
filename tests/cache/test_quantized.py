import pytest
import torch
from engine_runs import attention_in_numpy, cache_of, shape_of

from kvviz.cache.codes import dequantise, quantise
from kvviz.sizing.dtypes import DType

SHAPE = shape_of(kv_heads=2, layers=1, heads=4, head_dim=8)


def given(tokens, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(1, 2, tokens, 8, generator=generator, dtype=dtype)


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("group", [2, 8])
def test_no_number_is_off_by_more_than_half_a_scale(bits, group):
    x = given(50) * torch.logspace(-3, 3, 50, dtype=torch.float64)[:, None]
    codes, scales = quantise(x, bits, group)
    out = torch.empty_like(x)
    dequantise(codes, scales, bits, out)
    half = scales.repeat_interleave(group, dim=-1) / 2
    assert ((out - x).abs() <= half * (1 + 1e-12)).all()
    assert (codes.dtype, codes.shape[-1]) == (torch.uint8, 8 * bits // 8)
    assert torch.equal(scales, x.unflatten(-1, (-1, group)).abs().amax(-1) / (2 ** (bits - 1) - 1))


@pytest.mark.parametrize("bits", [8, 4])
def test_zeros_stay_zeros_and_the_largest_stays_itself(bits):
    x = torch.tensor([[0.0] * 8, [3.0, -3.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    out = torch.empty_like(x)
    dequantise(*quantise(x, bits, 4), bits, out)
    assert out[0].eq(0).all()
    assert out[1, :2].tolist() == [3.0, -3.0]


def test_a_token_is_quantised_once_and_then_left_alone():
    cache = cache_of("quantized:int4/4+2", SHAPE)
    k = given(1, dtype=torch.float32)
    cache.update(0, k, k)
    cache.finish_step()
    codes = []
    for step in range(6):
        new = given(1, step + 1, torch.float32)
        cache.update(0, new, new)
        cache.finish_step()
        codes.append(cache._sides[0].tensors[0][0, 0, 0, 0].tolist())
    # It leaves the residual of two in the second step, and is never written again.
    assert len({tuple(code) for code in codes[1:]}) == 1


def test_errors_are_those_of_the_tokens_that_became_codes():
    cache = cache_of("quantized:int8+3", SHAPE)
    k, v = given(5, 1, torch.float32), given(5, 2, torch.float32)
    keys, values = cache.update(0, k, v)
    errors = cache.errors
    assert errors.shape == (2, 2)
    for side, read, new in zip(errors, (keys, values), (k, v), strict=True):
        lost = (read - new)[0, :, :2].pow(2).sum((0, 2)).sqrt()
        assert torch.allclose(side, lost / new[0, :, :2].pow(2).sum((0, 2)).sqrt())
        assert torch.equal(read[:, :, 2:], new[:, :, 2:])


@pytest.mark.parametrize("text", ["quantized:int8", "quantized:int4/4"])
def test_attention_is_off_by_no_more_than_the_codes_allow(text):
    """Keys off by e move a score by at most scale |q|_1 e; weights by a factor of exp(2 x that)."""
    cache = cache_of(text, SHAPE, kv_dtype=DType.FLOAT64)
    k, v, q = given(9, 1), given(9, 2), given(9, 3)
    keys, values = cache.update(0, k, v)
    exact, found = (
        attention_in_numpy(q[0].numpy(), side[0][0].numpy(), side[1][0].numpy(), SHAPE.scale)
        for side in ((k, v), (keys, values))
    )
    moved = float((q.abs().sum(-1).max() * (keys - k).abs().max()) * SHAPE.scale)
    factor = torch.tensor(2 * moved).exp().item() - 1
    bound = float((values - v).abs().max()) + factor * float(v.abs().max())
    assert 0 < abs(found - exact).max() <= bound
