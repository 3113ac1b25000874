import pytest

from kvviz.session.calculator.model import tutorial_model
from kvviz.session.calculator.shrink import MOST_WEIGHTS, shrink
from kvviz.session.settings import Settings
from kvviz.sizing.cost import memory_limit
from kvviz.sizing.errors import InputError
from kvviz.sizing.presets import load_presets

FREE = 8 * 2**30


def shrunk(name, free=FREE):
    return shrink(load_presets().find(name).read(), Settings(), free, 18)


@pytest.mark.parametrize("name", ["Meta-Llama-3.1-8B", "DeepSeek-V3", "gpt2-xl", "Qwen3.5-27B"])
def test_a_shape_is_made_to_fit_and_can_be_built(name):
    settings = shrunk(name).settings
    cost = settings.cost(18)
    assert cost.weights <= MOST_WEIGHTS
    assert cost.total <= memory_limit(FREE)
    assert settings.shape.num_layers == settings.num_layers
    assert settings.model is None


def test_proportions_stay():
    settings = shrunk("Meta-Llama-3.1-8B").settings
    assert settings.num_heads == 4 * settings.num_kv_heads
    assert settings.head_dim == 128


def test_it_says_what_became_of_the_shape():
    said = shrink(tutorial_model().config, Settings(), FREE, 18).said
    assert said.startswith(
        "Runs with random weights, 32 layers, 32 heads, 32 KV heads, head size 128 made "
    )
    assert said.count(".") == 1


def test_one_of_a_kind_is_no_plural():
    assert shrunk("Qwen1.5-110B").said.endswith("made 4 layers, 8 heads, 1 KV head, head size 128.")


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Meta-Llama-3.1-8B", ""),
        ("gemma-3-27b-it", "; its windows as full attention"),
        ("Kimi-K3", "; its latents and states as full attention"),
    ],
)
def test_it_says_what_is_run_as_full_attention(name, plain):
    said = shrunk(name).said
    assert said.endswith(f"{plain}.")
    assert ("full attention" in said) is bool(plain)


def test_a_small_shape_stays_as_it_is():
    settings = shrunk("gpt2", 64 * 2**30).settings
    assert (settings.num_heads, settings.num_kv_heads, settings.head_dim) == (12, 12, 64)


def test_a_model_without_attention_cannot_be_run():
    with pytest.raises(InputError, match="has none"):
        shrunk("falcon-mamba-7b")


def test_no_memory_at_all_is_a_sentence():
    with pytest.raises(InputError, match="Not even the smallest"):
        shrunk("Meta-Llama-3.1-8B", 1000)
