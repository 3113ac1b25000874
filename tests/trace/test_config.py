import pytest

from kvviz.sizing.errors import InputError
from kvviz.sizing.shape import ModelShape
from kvviz.trace.config import ModelSource, ModelSpec, RunConfig, Sampling, check_fits


def config(**fields):
    return RunConfig(model=ModelSpec(), **{"prompt_ids": (1, 2, 3), **fields})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"prompt_ids": ()}, "The prompt is empty"),
        ({"max_new_tokens": 0}, "New tokens must be at least 1, not 0"),
        ({"batch": 0}, "Batch must be between 1 and 16, not 0"),
        ({"batch": 17}, "Batch must be between 1 and 16, not 17"),
        ({"prefill_chunk": -1}, "A prefill chunk must be 0"),
        ({"prompt_ids": (1, 128)}, "Token id 128 is outside the vocabulary of 128"),
        ({"prompt_ids": (-1,)}, "use ids from 0 to 127"),
        ({"max_new_tokens": 62}, r"3 tokens \+ 62 new need 65, over the sequence"),
    ],
)
def test_numbers_that_do_not_go_together_are_refused(fields, message):
    with pytest.raises(InputError, match=message):
        config(**fields)


def test_the_limit_itself_fits():
    assert config(max_new_tokens=61).max_new_tokens == 61
    check_fits(3, 1, 4)
    with pytest.raises(InputError, match=r"^1 token \+ 4 new need 5, over the sequence limit of 4"):
        check_fits(1, 4, 4)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"temperature": -0.1}, "temperature must be from 0"),
        ({"temperature": 101.0}, "temperature must be from 0"),
        ({"temperature": float("nan")}, "temperature must be from 0"),
        ({"top_k": -1}, "top-k must be 0"),
        ({"top_p": 0.0}, "top-p must be above 0"),
        ({"top_p": 1.1}, "top-p must be above 0"),
        ({"top_p": float("nan")}, "top-p must be above 0"),
    ],
)
def test_sampling_outside_its_limits_is_refused(fields, message):
    with pytest.raises(InputError, match=message):
        Sampling(**fields)


def test_temperature_0_is_greedy():
    assert Sampling().greedy
    assert not Sampling(temperature=0.1).greedy


def test_totals_are_per_layer_head_and_sequence():
    shape = ModelShape(3, 4, 2, 8, 128)
    run = RunConfig(model=ModelSpec(shape), prompt_ids=(1,), batch=5)
    assert run.work_multiplier == 3 * 4 * 5


def test_the_cost_is_the_shapes():
    assert config().cost.weights == 4 * ModelShape().num_parameters


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/models/SmolLM2", "SmolLM2"),
        ("C:\\models\\tiny\\", "tiny"),
        ("tiny.safetensors", "tiny.safetensors"),
        ("/cache/models--org--tiny-1B/snapshots/0123abcd", "org/tiny-1B"),
        ("/elsewhere/snapshots/0123abcd", "elsewhere"),
        ("snapshots/x", "x"),
    ],
)
def test_a_model_is_called_by_its_folder(path, name):
    assert ModelSpec(source=ModelSource.FOLDER, path=path).name == name
