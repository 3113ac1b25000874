"""Weights counted from a config, against transformers' own model on no device."""

import pytest
import torch
from configs import read
from huggingface_hub.errors import StrictDataclassError
from tiny_configs import tiny
from transformers import AutoModelForCausalLM
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from kvviz.sizing.errors import InputError
from kvviz.sizing.parameters import count_active, count_parameters
from kvviz.sizing.presets import load_presets
from kvviz.sizing.recipes import RECIPES

TYPES = sorted(set(RECIPES).intersection(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES))
WITHOUT_WEIGHTS = {"use_cache", "is_decoder", "is_encoder_decoder", "torchscript", "return_dict"}


def counted(config, model_type):
    """Count them, None for a config that is refused or whose weights are not known."""
    raw = config.to_dict() | {"model_type": model_type}
    try:
        return count_parameters(raw, read(raw), model_type)
    except InputError:
        return None


def built(config):
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    biases = [b for name, b in model.named_buffers() if "correction_bias" in name]
    return sum(weight.numel() for weight in [*model.parameters(), *biases])


def flags_of(config):
    names = set(type(config).__dataclass_fields__) - WITHOUT_WEIGHTS
    values = config.to_dict()
    return sorted(name for name in names if isinstance(values.get(name), bool))


@pytest.mark.parametrize("model_type", TYPES)
def test_every_flag_of_a_config_is_counted_or_refused(model_type):
    config = tiny(model_type)
    assert counted(config, model_type) == built(config)
    for flag in flags_of(config):
        try:
            other = tiny(model_type, **{flag: not getattr(config, flag)})
            weights = built(other)
        except (
            ValueError,
            TypeError,
            NotImplementedError,
            StrictDataclassError,
        ):  # a flag that goes with others
            continue
        assert counted(other, model_type) in (weights, None), flag


@pytest.mark.parametrize(
    "changes",
    [{"moe_latent_size": 24}, {"use_bias": True, "use_conv_bias": False}, {"n_routed_experts": 6}],
)
def test_layers_that_are_one_thing_each(changes):
    config = tiny("nemotron_h", **changes)
    assert counted(config, "nemotron_h") == built(config)


@pytest.mark.parametrize("changes", [{"moe_layers": [1, 2, 6]}, {"interleave_moe_layer_step": 2}])
def test_experts_in_some_layers(changes):
    config = tiny("llama4_text", **changes)
    assert counted(config, "llama4_text") == built(config)


MOE = {"enable_moe_block": True, "num_experts": 4, "top_k_experts": 2}


@pytest.mark.parametrize("shared", [0, 3])
@pytest.mark.parametrize("own_inputs", [0, 8])
@pytest.mark.parametrize("changes", [{}, MOE, MOE | {"attention_k_eq_v": True}])
def test_gemma_4(shared, own_inputs, changes):
    sizes = {"num_kv_shared_layers": shared, "hidden_size_per_layer_input": own_inputs}
    config = tiny("gemma4_text", **sizes | changes)
    assert counted(config, "gemma4_text") == built(config)


# What the makers publish, which rounds, in thousand millions: all weights, those of one token.
PUBLISHED = {
    "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": (31.6, 3.2),
    "NVIDIA-Nemotron-3-Super-120B-A12B": (120.7, 12.2),
    "Llama-4-Maverick-17B-128E-Instruct": (400.7, 16.2),
    "falcon-mamba-7b": (7.3, 7.0),
    "gemma-4-26B-A4B": (25.2, 3.8),
    "Gemma-4-31B-IT": (30.7, 30.7),
    "starcoder": (15.5, 15.5),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_presets_weights(name):
    preset = load_presets().find(name)
    found = [
        count(preset.config, preset.read(), name) for count in (count_parameters, count_active)
    ]
    assert tuple(round(number / 1e9, 1) for number in found) == PUBLISHED[name]
