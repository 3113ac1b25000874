import pytest
import torch
from engine_runs import CPU
from load_stand import Kept
from safetensors.torch import save
from weight_files import tutorial_state, with_header, write_state

from kvviz.bench.tutorial import TinyCausalLM
from kvviz.engine.load import load_model
from kvviz.model.tutorial_weights import tutorial_shape
from kvviz.sizing.dtypes import COMPUTING, DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import Positions
from kvviz.trace.config import ModelSource, ModelSpec

SIZES = {"vocab_size": 20, "hidden_size": 16, "num_heads": 4, "num_layers": 2}
IDS = torch.tensor([[1, 5, 19, 0]])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "weights.safetensors"


def spec_of(path, **fields):
    shape = tutorial_shape(str(path), 4)
    return ModelSpec(shape, ModelSource.TUTORIAL, path=str(path), **fields)


def refused(spec, dtype=DType.FLOAT32):
    with pytest.raises(InputError) as caught:
        load_model(spec, dtype, CPU)
    return str(caught.value)


@pytest.mark.parametrize("stored", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("dtype", COMPUTING)
def test_a_tutorials_weights_run_in_any_dtype(path, stored, dtype):
    state = {name: weight.to(stored) for name, weight in tutorial_state(**SIZES).items()}
    write_state(path, state)
    model = load_model(spec_of(path), dtype, CPU)
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, state[name].to(getattr(torch, dtype)))


def test_the_logits_are_the_tutorials(path):
    tutorial = TinyCausalLM(**SIZES)
    write_state(path, tutorial.state_dict())
    with torch.inference_mode():
        expected = tutorial(IDS)[0]
    model = load_model(spec_of(path), DType.FLOAT32, CPU)
    assert (model.all_logits(IDS) - expected).abs().max() < 1e-5


def test_the_file_may_be_deleted_while_the_model_runs(path):
    write_state(path, tutorial_state(**SIZES))
    model = load_model(spec_of(path), DType.FLOAT32, CPU)
    before = model(IDS)
    path.write_bytes(b"")
    path.unlink()
    assert torch.equal(model(IDS), before)


def test_rope_needs_no_weights(path):
    write_state(path, tutorial_state(**SIZES))
    spec = spec_of(path)
    turned = ModelSpec(
        type(spec.shape)(2, 4, 4, 4, 20, Positions.ROPE), ModelSource.TUTORIAL, path=str(path)
    )
    plain, rope = (load_model(each, DType.FLOAT32, CPU) for each in (spec, turned))
    assert not torch.equal(plain(IDS), rope(IDS))


def test_a_file_changed_since_it_was_opened_is_refused(path):
    write_state(path, tutorial_state(**SIZES))
    spec = spec_of(path)
    write_state(path, tutorial_state(**SIZES | {"num_layers": 3}))
    assert "has changed since it was opened" in refused(spec)


def test_a_file_gone_since_it_was_opened_is_refused(path):
    write_state(path, tutorial_state(**SIZES))
    spec = spec_of(path)
    path.unlink()
    assert "does not exist" in refused(spec)


def test_no_path_is_refused():
    assert "No weights are named" in refused(ModelSpec(source=ModelSource.TUTORIAL))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_load_with_a_warning_and_their_count(path, bad):
    state = tutorial_state(**SIZES)
    state["blocks.0.ffn.0.bias"][3:5] = bad
    state["norm.weight"][0] = bad
    write_state(path, state)
    watch = Kept()
    model = load_model(spec_of(path), DType.FLOAT32, CPU, watch)
    assert not torch.isfinite(model.norm.weight[0])
    [warning] = watch.warnings
    assert "3 weights are not finite (NaN or infinity)" in warning
    assert "the first in blocks.0.ffn.0.bias" in warning


def test_weights_too_large_for_the_dtype_say_which_one_to_choose(path):
    state = tutorial_state(**SIZES)
    state["norm.weight"][0] = 1e6
    write_state(path, state)
    assert "1 numbers of norm.weight are too large for float16" in (
        refused(spec_of(path), DType.FLOAT16)
    )
    load_model(spec_of(path), DType.BFLOAT16, CPU)


def test_overlapping_tensors_are_refused(path):
    def overlap(header):
        ours = header["blocks.0.attn.k_proj.weight"]
        ours["data_offsets"] = header["blocks.0.attn.q_proj.weight"]["data_offsets"]

    path.write_bytes(with_header(save(tutorial_state(**SIZES)), overlap))
    with pytest.raises(InputError, match="is damaged"):
        spec_of(path)


def test_a_load_of_a_file_tells_its_bytes_and_can_be_stopped(path):
    write_state(path, tutorial_state(**SIZES))
    watch = Kept()
    model = load_model(spec_of(path), DType.FLOAT32, CPU, watch)
    assert watch.told[0] == (0, model.weight_bytes)
    assert watch.told[-1] == (model.weight_bytes, model.weight_bytes)
    assert watch.told == sorted(set(watch.told))
    with pytest.raises(KeyboardInterrupt):
        load_model(spec_of(path), DType.FLOAT32, CPU, Kept(stop_after=3))
