import pytest
import torch
from engine_runs import CPU, model_of, shape_of
from torch import nn

from kvviz.bench.tutorial import TinyCausalLM
from kvviz.model.init import empty_transformer, fill_random
from kvviz.sizing.dtypes import DType
from kvviz.sizing.shape import ModelShape


def same(ours, theirs):
    return all(torch.equal(ours[name], theirs[name]) for name in theirs)


def test_a_seed_gives_the_weights_that_the_tutorials_constructor_gives():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        tutorial = TinyCausalLM()
    assert same(model_of(ModelShape(), seed=7).state_dict(), tutorial.state_dict())


def test_the_same_seed_gives_the_same_weights_and_another_gives_others():
    first, again, other = (model_of(shape_of(2), seed=seed).state_dict() for seed in (3, 3, 4))
    assert same(first, again)
    assert not same(first, other)


@pytest.mark.parametrize("dtype", [DType.BFLOAT16, DType.FLOAT16, DType.FLOAT64])
def test_another_dtype_holds_the_same_numbers_rounded(dtype):
    wide, narrow = model_of(shape_of()).state_dict(), model_of(shape_of(), dtype).state_dict()
    assert same(narrow, {name: weight.to(getattr(torch, dtype)) for name, weight in wide.items()})


def test_the_global_generator_is_left_alone():
    before = torch.get_rng_state()
    model_of(shape_of())
    assert torch.equal(torch.get_rng_state(), before)


def test_no_weight_asks_for_a_gradient():
    assert not any(weight.requires_grad for weight in model_of(shape_of()).parameters())


@pytest.mark.parametrize("dtype", [DType.FLOAT32, DType.BFLOAT16])
def test_a_small_models_projections_lie_as_one_row_multiplies_them_quickest(dtype):
    linears = [m for m in model_of(shape_of(2), dtype).modules() if isinstance(m, nn.Linear)]
    columns = dtype is DType.FLOAT32  # in bfloat16 the library turns them itself
    assert linears
    assert all((linear.weight.stride(0) == 1) == columns for linear in linears)


def test_a_large_models_projections_lie_as_its_file_has_them(monkeypatch):
    small = model_of(shape_of(2)).state_dict()
    monkeypatch.setattr("kvviz.model.init.MOST_TURNED_BYTES", 0)
    large = model_of(shape_of(2)).state_dict()
    assert all(weight.is_contiguous() for weight in large.values())
    assert same(large, small)


def test_check_can_stop_the_filling():
    model = empty_transformer(shape_of(), dtype=torch.float32, device=CPU)
    calls = []

    def check():
        calls.append(None)
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fill_random(model, 0, check)
    assert len(calls) == 3
